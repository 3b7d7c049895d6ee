// Builds the page into one file: script, style and licences stand in it, and a policy that lets nothing else run
// and nothing be fetched.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function oneFile(): Plugin {
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
      const source = read("index.html").replace(/%(\w+)%/g, (_, name: string) => {
        const value = values[name];
        if (value === undefined) throw new Error(`index.html asks for ${name}`);
        return value;
      });
      this.emitFile({ type: "asset", fileName: "report.html", source });
    },
  };
}

export default defineConfig({
  plugins: [oneFile()],
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    rolldownOptions: {
      input: "src/main.ts",
      output: { format: "iife" },
    },
  },
});
