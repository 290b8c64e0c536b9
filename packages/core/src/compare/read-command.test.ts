import { describe, expect, it } from "vitest";
import { checkEnd, looksLikeCheck, mayChangeFiles } from "./read-command.ts";

describe("looksLikeCheck", () => {
  it.each([
    "npm run check",
    "cd /w/pi && npm run check 2>&1 | head -20",
    "npm test",
    "npx tsc --noEmit",
    "CI=1 cargo test -p core",
    "go vet ./...",
    "node --test",
    "make",
    "./gradlew build",
    "npx vitest run x",
    "npm run test:unit",
  ])("%s", (command) => expect(looksLikeCheck(command)).toBe(true));
  it.each([
    "cat test.ts",
    "grep -rn check src",
    "git commit -m 'build'",
    "node app.js",
    "npm install",
    "ls test",
    "",
  ])("not %s", (command) => expect(looksLikeCheck(command)).toBe(false));
});

describe("mayChangeFiles", () => {
  it.each([
    "rm a",
    "cat > a.ts << 'EOF'",
    "echo x >> y",
    "sed -i s/a/b/ f",
    "git checkout -b x",
    "find . -delete",
    "cp a b",
    "npm run check",
  ])("%s", (command) => expect(mayChangeFiles(command)).toBe(true));
  it.each([
    "ls -la",
    "cd /w && git status 2>&1 | head",
    "grep -n 'a => b' x.ts 2>/dev/null",
    "sed -n 1,20p f",
    "find . -name '*.ts'",
    "git log --oneline",
    "wc -l a b",
    'grep -r "QueueMode\\|rm" src | head -3',
    "grep -n 'a > b' x.ts",
  ])("not %s", (command) => expect(mayChangeFiles(command)).toBe(false));
});

describe("checkEnd", () => {
  it.each([
    ["Checked 200 files.\nFound 61 errors.", false, { failed: true, says: "61 errors" }],
    ["a.ts(1,2): error TS2304: no\nb.ts(1,2): error TS2304: no", true, { failed: true, says: "2 errors" }],
    ["Tests 3 passed, 0 failed", false, { failed: false, says: "clean" }],
    ["boom\n\nCommand exited with code 2", true, { failed: true, says: "exit 2" }],
    ["", true, { failed: true, says: "failed" }],
    ["all good", false, { failed: false, says: "clean" }],
  ])("%j", (output, isError, end) => expect(checkEnd(output, isError)).toEqual(end));
});
