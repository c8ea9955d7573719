/**
 * URLs with a password, in the forms in which parsers of URLs (WHATWG) find one.
 *
 * @param password of letters and digits; some forms put others beside it
 */
export const URLS_WITH_PASSWORD = (password: string): readonly string[] => [
  `https://u:${password}@hook.test/x`,
  `https://:${password}@hook.test/x`,
  `https://u:p@${password}@hook.test/x`,
  `https://u:${password}@@hook.test/x`,
  `https://u:p:${password}@hook.test/x`,
  `https://u:p,${password} @hook.test/x`,
  `https:/u:${password}@hook.test/x`,
  `https:u:${password}@hook.test/x`,
  `https:\\\\u:${password}@hook.test/x`,
  `https:///u:${password}@hook.test/x`,
  `https://u:${password}@hook.test:8443/a@b`,
  ` https://u:${password}@hook.test/x`,
  `\u0000\thttps://u:${password}@hook.test/x`,
  `ht\ttps:/\n/u\r:\t${password}@hook.test/x`,
  `HTTPS://u:${password}@hook.test?x`,
  `foo://u:p\\${password}@hook.test/x`,
  `foo://u\\v:${password}@hook.test/x`,
];

/** Forms in which no parser finds a URL, and everybody else the password. */
export const BROKEN_URLS_WITH_PASSWORD = (password: string): readonly string[] => [
  `ht!tp://u:${password}@hook.test/x`,
  `http//u:${password}@hook.test/x`,
  `//u:${password}@hook.test/x`,
  `https://u:${password}@hook.test:port/x`,
  `https://u:${password}`,
  `u:${password}@hook.test`,
];

/** Texts with none, though they look much like it. */
export const URLS_WITHOUT_PASSWORD: readonly string[] = [
  "https://h.test:8080/a@b",
  "https://h.test:8080\\a@b",
  "https://h.test:8080?a@b",
  "https://h.test:8080#a:b@c",
  "https://u@h.test:8080/a",
  "https://u:@h.test/a",
  "select a:b@c",
  "mailto:a@b.test",
];
