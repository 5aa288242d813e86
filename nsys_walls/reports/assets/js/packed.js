// Libraries that the page carries compressed: they run as scripts of the page, and the policy knows their hashes.

async function inflate(base64) {
  if (typeof DecompressionStream === "undefined") throw new Error(t("too_old"));
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

/** Run the library in the element of this id, which then is there under its own name. */
async function loadLibrary(id, name) {
  const script = document.createElement("script");
  script.textContent = await inflate(byId(id).textContent);
  document.head.append(script);
  if (globalThis[name] === undefined) throw new Error(t("refused"));
}
