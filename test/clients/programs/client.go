// A client of the Management API on Go's net/http: prints what it saw for each claim of claims.ts as JSON.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"time"
)

var (
	base   = os.Getenv("BASE_URL")
	ref    = os.Getenv("REF")
	client = &http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{ExpectContinueTimeout: 20 * time.Second},
	}
	seen = map[string]string{}
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func request(method, path string, body io.Reader, headers map[string]string) *http.Request {
	req := must(http.NewRequest(method, base+path, body))
	req.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	return req
}

// send returns the response and its whole body.
func send(req *http.Request) (*http.Response, []byte) {
	res := must(client.Do(req))
	defer res.Body.Close()
	return res, must(io.ReadAll(res.Body))
}

func object(body []byte) map[string]any {
	value := map[string]any{}
	must(0, json.Unmarshal(body, &value))
	return value
}

func list(body []byte) []map[string]any {
	value := []map[string]any{}
	must(0, json.Unmarshal(body, &value))
	return value
}

var asJSON = map[string]string{"Content-Type": "application/json"}

func secret(name string) []byte {
	return must(json.Marshal([]map[string]string{{"name": name, "value": "v"}}))
}

func project(suffix string) string { return "/v1/projects/" + ref + suffix }

// deploy returns the status, and what is there then: a form is written by fill, in its order.
func deploy(fill func(form *multipart.Writer)) string {
	body := &bytes.Buffer{}
	form := multipart.NewWriter(body)
	fill(form)
	must(0, form.Close())
	headers := map[string]string{"Content-Type": form.FormDataContentType()}
	res, _ := send(request("POST", project("/functions/deploy?slug=hello"), body, headers))
	_, text := send(request("GET", project("/functions/hello"), nil, nil))
	deployed := object(text)
	return fmt.Sprint(res.StatusCode, " ", deployed["version"], " ", deployed["verify_jwt"], " ", downloaded())
}

// downloaded returns the parts of the form that the function's files are.
func downloaded() string {
	res, text := send(request("GET", project("/functions/hello/body"), nil, map[string]string{"Accept": "multipart/form-data"}))
	_, parameters, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	must(0, err)
	parts := must(multipart.NewReader(bytes.NewReader(text), parameters["boundary"]).ReadForm(1 << 20))
	names := []string{}
	for range parts.File["metadata"] {
		names = append(names, "metadata")
	}
	for _, file := range parts.File["file"] {
		_, disposition, err := mime.ParseMediaType(file.Header.Get("Content-Disposition"))
		must(0, err)
		names = append(names, disposition["filename"])
	}
	return strings.Join(names, " ")
}

func addFile(form *multipart.Writer, path string) {
	must(must(form.CreateFormFile("file", path)).Write([]byte("export default 1;")))
}

func metadata(verify bool) string {
	return fmt.Sprintf(`{"entrypoint_path":"index.ts","verify_jwt":%v}`, verify)
}

func addMetadataFile(form *multipart.Writer, verify bool) {
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", `form-data; name="metadata"; filename="metadata.json"`)
	header.Set("Content-Type", "application/json")
	must(must(form.CreatePart(header)).Write([]byte(metadata(verify))))
}

func bodies() {
	body := must(json.Marshal(map[string]string{"name": "Grüße ☃", "db_pass": "correct horse", "organization_slug": "acme"}))
	res, text := send(request("POST", "/v1/projects", bytes.NewReader(body), asJSON))
	seen["creates a project with JSON"] = fmt.Sprint(res.StatusCode, " ", object(text)["name"])

	form := url.Values{"grant_type": {"authorization_code"}, "code": {os.Getenv("CODE")}, "client_id": {"app"},
		"client_secret": {"app-secret"}, "redirect_uri": {"https://app.test/done"}}
	res = must(client.PostForm(base+"/v1/oauth/token", form))
	text = must(io.ReadAll(res.Body))
	seen["exchanges a code as a form"] = fmt.Sprint(res.StatusCode, " ", object(text)["token_type"])

	seen["deploys with the metadata as text before the files"] = deploy(func(form *multipart.Writer) {
		must(0, form.WriteField("metadata", metadata(false)))
		addFile(form, "index.ts")
	})
	seen["deploys with the metadata as text after the files"] = deploy(func(form *multipart.Writer) {
		addFile(form, "src/text.ts")
		addFile(form, "index.ts")
		must(0, form.WriteField("metadata", metadata(true)))
	})
	seen["deploys with the metadata as a JSON file before the files"] = deploy(func(form *multipart.Writer) {
		addMetadataFile(form, false)
		addFile(form, "index.ts")
		addFile(form, "src/file.ts")
	})
	seen["deploys with the metadata as a JSON file after the files"] = deploy(func(form *multipart.Writer) {
		addFile(form, "src/last.ts")
		addFile(form, "index.ts")
		addMetadataFile(form, true)
	})
}

func codings() {
	res, text := send(request("GET", project("/secrets"), nil, nil))
	coding := "plain"
	if res.Uncompressed {
		coding = "gzip"
	}
	seen["reads a long list compressed"] = fmt.Sprint(res.StatusCode, " ", coding, " ", len(list(text)))

	packed := &bytes.Buffer{}
	writer := gzip.NewWriter(packed)
	must(writer.Write(secret("GZIP")))
	must(0, writer.Close())
	headers := map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"}
	res, _ = send(request("POST", project("/secrets"), packed, headers))
	seen["sends a body compressed"] = fmt.Sprint(res.StatusCode)

	// a reader of unknown length is sent in chunks
	res, _ = send(request("POST", project("/secrets"), io.MultiReader(bytes.NewReader(secret("CHUNKS"))), asJSON))
	seen["sends a body in chunks"] = fmt.Sprint(res.StatusCode)

	told := false
	req := request("POST", project("/secrets"), bytes.NewReader(secret("EXPECT")), asJSON)
	req.Header.Set("Expect", "100-continue")
	trace := &httptrace.ClientTrace{Got100Continue: func() { told = true }}
	res, _ = send(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	seen["asks to continue before it sends a body"] = fmt.Sprint(res.StatusCode)
	if !told {
		seen["asks to continue before it sends a body"] += ", but nobody told it to continue"
	}

	reused := false
	req = request("GET", "/v1/profile", nil, nil)
	trace = &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { reused = info.Reused }}
	send(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	seen["keeps its connection"] = fmt.Sprint(reused)
}

func heads() {
	res, text := send(request("HEAD", "/v1/profile", nil, nil))
	seen["asks for the head alone"] = fmt.Sprint(res.StatusCode, " ", len(text))

	res, _ = send(request("HEAD", project("/actions"), nil, nil))
	seen["reads a count from the head"] = fmt.Sprint(res.StatusCode, " ", res.Header.Get("X-Total-Count"))

	odd := map[string]string{"Accept": "text/html;q=0.9, application/vnd.acme+json, */*;q=0.1"}
	res, _ = send(request("GET", "/v1/profile", nil, odd))
	seen["accepts odd media types"] = fmt.Sprint(res.StatusCode, " ", res.Header.Get("Content-Type"))

	req := request("GET", "/v1/profile", nil, nil)
	req.Header = http.Header{"AUTHORIZATION": {"bearer  " + os.Getenv("TOKEN")}}
	res, _ = send(req)
	seen["writes header names in its own way"] = fmt.Sprint(res.StatusCode)
	seen["reads the limits"] = res.Header.Get("X-RateLimit-Limit")

	res, text = send(request("GET", "/v1/projects/"+strings.Repeat("z", 20), nil, nil))
	seen["reads a refusal"] = fmt.Sprint(res.StatusCode, " ", object(text)["message"])
}

func paths() {
	res, text := send(request("GET", "/v1/profile/", nil, nil))
	seen["adds a slash"] = fmt.Sprint(res.StatusCode, " ", object(text)["message"])

	res, text = send(request("GET", project("/branches/"+url.PathEscape("feature/one")), nil, nil))
	seen["names a branch with a slash"] = fmt.Sprint(res.StatusCode, " ", object(text)["name"])

	health := func(query string) string {
		res, text := send(request("GET", project("/health?")+query, nil, nil))
		names := []string{fmt.Sprint(res.StatusCode)}
		for _, service := range list(text) {
			names = append(names, fmt.Sprint(service["name"]))
		}
		return strings.Join(names, " ")
	}
	seen["repeats a query parameter"] = health(url.Values{"services": {"db", "auth"}}.Encode())
	seen["separates values by commas"] = health(url.Values{"services": {"db,auth"}}.Encode())

	res, text = send(request("POST", project("/restart"), nil, asJSON))
	seen["posts nothing as JSON"] = fmt.Sprint(res.StatusCode, " ", string(text))

	res, text = send(request("DELETE", project("/secrets"), strings.NewReader(`["CHUNKS"]`), asJSON))
	seen["deletes with a body"] = fmt.Sprint(res.StatusCode, " ", len(text))

	drains := "/v2/projects/" + ref + "/analytics/log-drains"
	drain := `{"data":{"type":"log_drain","attributes":{"name":"d","backend_type":"webhook","config":{"url":"https://hook.test"}}}}`
	_, text = send(request("POST", drains, strings.NewReader(drain), asJSON))
	id := object(text)["data"].(map[string]any)["id"].(string)
	res, text = send(request("DELETE", drains+"/"+id, nil, nil))
	seen["gets an answer without a body"] = fmt.Sprint(res.StatusCode, " ", len(text))
}

func main() {
	bodies()
	codings()
	heads()
	paths()
	must(0, json.NewEncoder(os.Stdout).Encode(seen))
}
