// Builds a page into one file: script, style and licences stand in it, and a policy that lets nothing else run
// and nothing be fetched. The mode says which page: `vite build --mode nc`.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The pages: the text around the script, the script, and the file that is built. */
const PAGES: Record<string, { html: string; script: string; file: string }> = {
  clash: { html: "clash.html", script: "src/main.ts", file: "report.html" },
  nc: { html: "nc.html", script: "src/nc/main.ts", file: "nc.html" },
};

function oneFile(html: string, fileName: string): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      let [script, style] = ["", ""];
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === "chunk") script += file.code;
        else if (name.endsWith(".css")) style += file.source;
        else this.error(`there is no place for ${name}`);
        delete bundle[name];
      }
      // Within a script element only these two could end it or begin another.
      script = `\n${script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--").trim()}\n`;
      style = `\n${style.trim()}\n`;
      const policy = [
        "default-src 'none'",
        `script-src ${hash(script)}`,
        `style-src ${hash(style)}`,
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
      ].join("; ");
      const values: Record<string, string> = {
        policy,
        style,
        script,
        licence: read("node_modules/three/LICENSE").trim(),
      };
      const source = read(html).replace(/%(\w+)%/g, (_, name: string) => {
        const value = values[name];
        if (value === undefined) throw new Error(`${html} asks for ${name}`);
        return value;
      });
      this.emitFile({ type: "asset", fileName, source });
    },
  };
}

export default defineConfig(({ mode }) => {
  const page = PAGES[mode];
  if (!page) throw new Error(`there is no page ${mode}; the pages are ${Object.keys(PAGES).join(", ")}`);
  return {
    plugins: [oneFile(page.html, page.file)],
    build: {
      target: "es2022",
      modulePreload: false,
      cssCodeSplit: false,
      rolldownOptions: {
        input: page.script,
        output: { format: "iife" },
      },
    },
  };
});
