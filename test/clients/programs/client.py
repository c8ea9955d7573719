"""A client of the Management API on Python's urllib: prints what it saw for each claim of claims.ts as JSON."""

import email.policy
import gzip
import http.client
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from email.parser import BytesParser

BASE, TOKEN, REF = (os.environ[name] for name in ("BASE_URL", "TOKEN", "REF"))
JSON = {"Content-Type": "application/json"}
seen = {}


def send(method, path, body=None, headers=None):
    """Sends a request; a refusal is an answer like any other."""
    request = urllib.request.Request(BASE + path, data=body, method=method, headers=headers or {})
    request.add_header("Authorization", "Bearer " + TOKEN)
    try:
        response = urllib.request.urlopen(request, timeout=30)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        return response.status, response.headers, response.read()


def project(suffix):
    return f"/v1/projects/{REF}{suffix}"


def secret(name):
    return json.dumps([{"name": name, "value": "v"}]).encode()


def part(disposition, content, media_type=None):
    lines = [f"Content-Disposition: form-data; {disposition}"]
    if media_type:
        lines.append(f"Content-Type: {media_type}")
    return "\r\n".join(["--boundary of python"] + lines + ["", content, ""])


def deploy(*parts):
    """Sends them in this order. Returns the status, and what is there then."""
    body = "".join(parts) + "--boundary of python--\r\n"
    headers = {"Content-Type": 'multipart/form-data; boundary="boundary of python"'}
    status, _, _ = send("POST", project("/functions/deploy?slug=hello"), body.encode(), headers)
    deployed = json.loads(send("GET", project("/functions/hello"))[2])
    return f"{status} {deployed['version']} {json.dumps(deployed['verify_jwt'])} {downloaded()}"


def downloaded():
    """The parts of the form that the function's files are."""
    _, headers, text = send("GET", project("/functions/hello/body"), None, {"Accept": "multipart/form-data"})
    head = f"Content-Type: {headers['Content-Type']}\r\n\r\n".encode()
    form = BytesParser(policy=email.policy.HTTP).parsebytes(head + text)
    return " ".join(
        "metadata" if one.get_param("name", header="content-disposition") == "metadata" else one.get_filename()
        for one in form.iter_parts()
    )


def bodies():
    project_body = {"name": "Grüße ☃", "db_pass": "correct horse", "organization_slug": "acme"}
    status, _, text = send("POST", "/v1/projects", json.dumps(project_body).encode(), JSON)
    seen["creates a project with JSON"] = f"{status} {json.loads(text)['name']}"

    fields = {
        "grant_type": "authorization_code",
        "code": os.environ["CODE"],
        "client_id": "app",
        "client_secret": "app-secret",
        "redirect_uri": "https://app.test/done",
    }
    # urllib itself says that it is a form
    with urllib.request.urlopen(BASE + "/v1/oauth/token", urllib.parse.urlencode(fields).encode()) as response:
        seen["exchanges a code as a form"] = f"{response.status} {json.load(response)['token_type']}"

    index = part('name="file"; filename="index.ts"', "export default 1;", "application/octet-stream")

    def library(path):
        return part(f'name="file"; filename="{path}"', "export default 1;")

    def metadata(verify):
        return json.dumps({"entrypoint_path": "index.ts", "verify_jwt": verify})

    def as_text(verify):
        return part('name="metadata"', metadata(verify))

    def as_file(verify):
        return part('name="metadata"; filename="metadata.json"', metadata(verify), "application/json")

    claim = "deploys with the metadata as "
    seen[claim + "text before the files"] = deploy(as_text(False), index)
    seen[claim + "text after the files"] = deploy(library("src/text.ts"), index, as_text(True))
    seen[claim + "a JSON file before the files"] = deploy(as_file(False), index, library("src/file.ts"))
    seen[claim + "a JSON file after the files"] = deploy(library("src/last.ts"), index, as_file(True))


def codings():
    status, headers, text = send("GET", project("/secrets"), None, {"Accept-Encoding": "gzip"})
    coding = headers.get("Content-Encoding", "plain")
    secrets = json.loads(gzip.decompress(text) if coding == "gzip" else text)
    seen["reads a long list compressed"] = f"{status} {coding} {len(secrets)}"

    status, _, _ = send("POST", project("/secrets"), gzip.compress(secret("GZIP")), JSON | {"Content-Encoding": "gzip"})
    seen["sends a body compressed"] = str(status)

    # what can only be iterated is sent in chunks
    status, _, _ = send("POST", project("/secrets"), iter([secret("CHUNKS")[:5], secret("CHUNKS")[5:]]), JSON)
    seen["sends a body in chunks"] = str(status)

    status, _, _ = send("POST", project("/secrets"), secret("EXPECT"), JSON | {"Expect": "100-continue"})
    seen["asks to continue before it sends a body"] = str(status)

    # urllib closes every connection; what it is built on keeps them
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(BASE).netloc, timeout=30)
    sockets = []
    for _ in range(2):
        connection.request("GET", "/v1/profile", headers={"Authorization": "Bearer " + TOKEN})
        connection.getresponse().read()
        sockets.append(connection.sock)
    seen["keeps its connection"] = json.dumps(sockets[0] is not None and sockets[0] is sockets[1])
    connection.close()


def heads():
    status, _, text = send("HEAD", "/v1/profile")
    seen["asks for the head alone"] = f"{status} {len(text)}"

    status, headers, _ = send("HEAD", project("/actions"))
    seen["reads a count from the head"] = f"{status} {headers['X-Total-Count']}"

    odd = {"Accept": "text/html;q=0.9, application/vnd.acme+json, */*;q=0.1"}
    status, headers, _ = send("GET", "/v1/profile", None, odd)
    seen["accepts odd media types"] = f"{status} {headers['Content-Type']}"

    connection = http.client.HTTPConnection(urllib.parse.urlsplit(BASE).netloc, timeout=30)
    connection.putrequest("GET", "/v1/profile")
    connection.putheader("aUTHORIZATION", "bearer  " + TOKEN)
    connection.endheaders()
    response = connection.getresponse()
    seen["writes header names in its own way"] = str(response.status)
    seen["reads the limits"] = response.headers["x-ratelimit-LIMIT"]
    connection.close()

    status, _, text = send("GET", "/v1/projects/" + "z" * 20)
    seen["reads a refusal"] = f"{status} {json.loads(text)['message']}"


def paths():
    status, _, text = send("GET", "/v1/profile/")
    seen["adds a slash"] = f"{status} {json.loads(text)['message']}"

    status, _, text = send("GET", project("/branches/" + urllib.parse.quote("feature/one", safe="")))
    seen["names a branch with a slash"] = f"{status} {json.loads(text)['name']}"

    def health(query):
        answered, _, services = send("GET", project("/health?" + query))
        return " ".join([str(answered)] + [service["name"] for service in json.loads(services)])

    seen["repeats a query parameter"] = health(urllib.parse.urlencode({"services": ["db", "auth"]}, doseq=True))
    seen["separates values by commas"] = health(urllib.parse.urlencode({"services": "db,auth"}))

    status, _, text = send("POST", project("/restart"), b"", JSON)
    seen["posts nothing as JSON"] = f"{status} {text.decode()}"

    status, _, text = send("DELETE", project("/secrets"), b'["CHUNKS"]', JSON)
    seen["deletes with a body"] = f"{status} {len(text)}"

    drains = f"/v2/projects/{REF}/analytics/log-drains"
    attributes = {"name": "d", "backend_type": "webhook", "config": {"url": "https://hook.test"}}
    body = json.dumps({"data": {"type": "log_drain", "attributes": attributes}}).encode()
    drain = json.loads(send("POST", drains, body, JSON)[2])["data"]["id"]
    status, _, text = send("DELETE", f"{drains}/{drain}")
    seen["gets an answer without a body"] = f"{status} {len(text)}"


for step in (bodies, codings, heads, paths):
    step()
print(json.dumps(seen))
