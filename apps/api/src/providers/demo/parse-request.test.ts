import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../../testing/data-folder.ts";
import { parseRequest } from "./parse-request.ts";
import type { Action, Ask } from "./request-types.ts";

const actions = (text: string): Action[] => parseRequest(text).steps.flat();
const asks = (text: string): Ask[] => [...parseRequest(text).asks];

const phrasings: Readonly<Record<string, readonly [Action, readonly string[]]>> = {
  read: [
    { kind: "read", path: "src/app.ts" },
    [
      "read src/app.ts",
      "Please read the file src/app.ts",
      "show me src/app.ts",
      "open src/app.ts",
      "cat src/app.ts",
      "print src/app.ts",
      "display the contents of src/app.ts",
      "what is in src/app.ts?",
      "what's in src/app.ts",
      "What does src/app.ts say?",
      "what does src/app.ts contain",
      "look at src/app.ts",
      "take a look at src/app.ts",
      "let me see src/app.ts",
      "can you read src/app.ts for me?",
      "could you please open the file called src/app.ts",
      "view src/app.ts",
      "inspect src/app.ts",
      "give me the contents of src/app.ts",
      "I'd like you to read src/app.ts.",
      'read "src/app.ts"',
      "read `src/app.ts` please",
      "fetch src/app.ts",
      "I need the contents of src/app.ts",
      "show me what's inside src/app.ts",
      "have a look at src/app.ts",
    ],
  ],
  "read a path with spaces": [
    { kind: "read", path: "my notes/to do.txt" },
    [
      "read my notes/to do.txt",
      'read "my notes/to do.txt"',
      "show me 'my notes/to do.txt'",
      "open the file `my notes/to do.txt`",
      "what is in my notes/to do.txt?",
      "please read the file my notes/to do.txt",
      "what does \u201cmy notes/to do.txt\u201d say",
    ],
  ],
  list: [
    { kind: "list", path: "src" },
    [
      "list src",
      "ls src",
      "list the files in src",
      "list files in src",
      "show the files in src",
      "show me all the files in src",
      "what files are in src?",
      "which files are there in src",
      "dir src",
      "give me a listing of src",
      "list the contents of the folder src",
      "show me the folder src",
      "open the directory src",
      "look into the folder src",
      "tree src",
      "enumerate the files in src",
      "which files does src have?",
      "list what is in src",
      "what is in the folder src",
      "list everything".replace("everything", "the src folder"),
    ],
  ],
  "list here": [
    { kind: "list", path: "." },
    [
      "list files",
      "ls",
      "list the files here",
      "what files are there?",
      "what's here?",
      "what is in this folder?",
      "what is in this directory",
      "show me the files",
      "look around",
      "list the files in this folder",
      "which files are in the current directory?",
      "list all files in .",
    ],
  ],
  search: [
    { kind: "search", pattern: "parseJson", path: "src" },
    [
      "search for parseJson in src",
      "search src for parseJson",
      "grep parseJson in src",
      "grep for parseJson in src",
      "find parseJson in src",
      "look for parseJson in src",
      "where is parseJson used in src?",
      "where is parseJson defined in src",
      "which files contain parseJson in src",
      "which files mention parseJson in src?",
      "find all uses of parseJson in src",
      "find occurrences of parseJson in the folder src",
      "who calls parseJson in src",
      'search for "parseJson" in src',
      "locate parseJson in src",
      "show me all lines that contain parseJson in src",
      "is there any mention of parseJson in src?",
      "look up parseJson in src",
      "grep -n parseJson src",
      "look through src for parseJson",
    ],
  ],
  "search everywhere": [
    { kind: "search", pattern: "a phrase with spaces", path: "." },
    [
      'search for "a phrase with spaces"',
      "grep 'a phrase with spaces'",
      "look for `a phrase with spaces`",
      "search for a phrase with spaces",
      "does anything mention a phrase with spaces?",
      'where is "a phrase with spaces"?',
    ],
  ],
  "find files": [
    { kind: "findFiles", pattern: "*.ts", path: "src" },
    [
      "find *.ts in src",
      "find all *.ts files in src",
      "list .ts files in src",
      "find files named *.ts in src",
      "show me the files matching *.ts in src",
    ],
  ],
  run: [
    { kind: "run", command: "git status --short" },
    [
      "run git status --short",
      "run `git status --short`",
      'execute "git status --short"',
      "execute the command git status --short",
      "$ git status --short",
      "! git status --short",
      "bash: git status --short",
      "type git status --short in the terminal",
      "run git status --short in the shell",
      "in the shell, run git status --short",
      "use the shell to run git status --short",
      "please run the following command: git status --short",
      "try `git status --short`",
      "launch git status --short",
      "run the shell command `git status --short` for me",
      "can you run git status --short?",
      "please run: git status --short",
      "issue the command git status --short",
      "git status --short",
    ],
  ],
  edit: [
    { kind: "edit", path: "src/a b.ts", oldText: "let x = 1", newText: "const x = 1" },
    [
      'replace "let x = 1" with "const x = 1" in "src/a b.ts"',
      "replace `let x = 1` with `const x = 1` in src/a b.ts",
      'change "let x = 1" to "const x = 1" in src/a b.ts',
      'in src/a b.ts, replace "let x = 1" with "const x = 1"',
      'in "src/a b.ts" change "let x = 1" to "const x = 1"',
      'edit src/a b.ts: replace "let x = 1" with "const x = 1"',
      'edit src/a b.ts and replace "let x = 1" with "const x = 1"',
      'update src/a b.ts: "let x = 1" becomes "const x = 1"',
      'substitute "const x = 1" for "let x = 1" in src/a b.ts',
      'turn "let x = 1" into "const x = 1" in src/a b.ts',
      'swap "let x = 1" for "const x = 1" in src/a b.ts',
      'rename "let x = 1" to "const x = 1" in src/a b.ts',
      'fix "let x = 1" to "const x = 1" in src/a b.ts',
      "edit src/a b.ts: `let x = 1` -> `const x = 1`",
      'please change the text "let x = 1" in src/a b.ts to "const x = 1"',
    ],
  ],
  "edit with bare words": [
    { kind: "edit", path: "a.txt", oldText: "foo", newText: "bar" },
    [
      "replace foo with bar in a.txt",
      "change foo to bar in a.txt",
      "in a.txt, change foo to bar",
      "rename foo to bar in a.txt",
    ],
  ],
  "take out": [
    { kind: "edit", path: "a.txt", oldText: "foo", newText: "" },
    ['remove "foo" from a.txt', "delete the word `foo` from a.txt"],
  ],
  write: [
    { kind: "write", path: "my notes.txt", content: "hello world\n" },
    [
      'write "hello world" to "my notes.txt"',
      'create "my notes.txt" with "hello world"',
      'create a file called "my notes.txt" with the content "hello world"',
      "create a new file my notes.txt containing `hello world`",
      'make a file "my notes.txt" that says "hello world"',
      'save "hello world" as "my notes.txt"',
      'save "hello world" to my notes.txt',
      'put "hello world" into "my notes.txt"',
      'write a file my notes.txt: "hello world"',
      'write my notes.txt with "hello world"',
      'add a file named my notes.txt saying "hello world"',
      'in "my notes.txt", write "hello world"',
      'store "hello world" in the file my notes.txt',
      'new file my notes.txt with the text "hello world"',
      "create my notes.txt with:\n```\nhello world\n```",
    ],
  ],
  "write bare words": [
    { kind: "write", path: "notes.txt", content: "hello world\n" },
    [
      "write hello world to notes.txt",
      "save hello world in notes.txt",
      "create notes.txt with hello world",
      "create notes.txt containing hello world",
    ],
  ],
  "make an empty file": [
    { kind: "write", path: "a/empty.txt", content: "" },
    ["create a/empty.txt", "create an empty file a/empty.txt", "touch a/empty.txt"],
  ],
};

for (const [name, [action, texts]] of Object.entries(phrasings)) {
  describe(`parseRequest: ${name}`, () => {
    it.each([...texts])("%s", (text) => {
      expect(actions(text)).toEqual([action]);
      expect(parseRequest(text).unclear).toEqual([]);
    });
  });
}

describe("parseRequest", () => {
  it.each<[string, Ask]>([
    ["read package.json and tell me its name", { kind: "value", key: "name" }],
    ["read package.json and tell me the name", { kind: "value", key: "name" }],
    ["read package.json. What is its name?", { kind: "value", key: "name" }],
    ["read package.json, then say its name", { kind: "value", key: "name" }],
    ["what is the name in package.json?", { kind: "value", key: "name" }],
    ["tell me the name in package.json", { kind: "value", key: "name" }],
    ["what is the version of package.json", { kind: "value", key: "version" }],
    [
      "read package.json and tell me which license it has".replace("which license it has", "its license"),
      { kind: "value", key: "license" },
    ],
    ["read package.json and tell me how many lines it has", { kind: "count", what: "lines" }],
    ["how many lines does package.json have?", { kind: "count", what: "lines" }],
    ["how many words are in package.json", { kind: "count", what: "words" }],
    ["count the lines of package.json", { kind: "count", what: "lines" }],
    ["how long is package.json?", { kind: "count", what: "lines" }],
    ["read package.json and count its lines", { kind: "count", what: "lines" }],
    ["open package.json and give me its first line", { kind: "line", which: "first" }],
    ["what is the last line of package.json?", { kind: "line", which: "last" }],
    ["summarise package.json", { kind: "gist" }],
    ["read package.json and tell me what it is about", { kind: "gist" }],
    ["does package.json mention vitest?", { kind: "contains", text: "vitest" }],
    [
      "read package.json and tell me whether it contains 'type module'",
      { kind: "contains", text: "type module" },
    ],
  ])("%s", (text, ask) => {
    expect(actions(text)).toEqual([{ kind: "read", path: "package.json" }]);
    expect(asks(text)).toEqual([ask]);
    expect(parseRequest(text).unclear).toEqual([]);
  });

  it("calls together what is joined by and, and one after another what is joined by then or stands on lines", () => {
    expect(parseRequest("read a.txt and read b.txt").steps).toEqual([
      [
        { kind: "read", path: "a.txt" },
        { kind: "read", path: "b.txt" },
      ],
    ]);
    expect(parseRequest("read a.txt and b.txt").steps).toHaveLength(1);
    expect(
      actions("read a.txt, b/c.md and `d e.txt`").map((action) => ("path" in action ? action.path : "")),
    ).toEqual(["a.txt", "b/c.md", "d e.txt"]);
    const orders = [
      "list files then read README.md",
      "list files\nread README.md",
      "list files. Then read README.md",
      "First, list files. Afterwards read README.md",
      "1. list files\n2. read README.md",
      "- list files\n- read README.md",
      "list files, and then read README.md",
    ];
    for (const text of orders) {
      expect(parseRequest(text).steps, text).toEqual([
        [{ kind: "list", path: "." }],
        [{ kind: "read", path: "README.md" }],
      ]);
    }
  });

  it("does many things of a request", () => {
    const {
      steps,
      asks: asked,
      unclear,
    } = parseRequest(
      'list the files in src, search for "TODO" in src and run `git log -1`; then create notes.md with "done" and read notes.md and tell me how many lines it has',
    );
    expect(steps.map((step) => step.map((action) => action.kind))).toEqual([
      ["list", "search", "run"],
      ["write"],
      ["read"],
    ]);
    expect(asked).toEqual([{ kind: "count", what: "lines" }]);
    expect(unclear).toEqual([]);
  });

  it("keeps words that look like orders where they belong", () => {
    expect(actions("search for read and write")).toEqual([
      { kind: "search", pattern: "read and write", path: "." },
    ]);
    expect(actions("run `echo a and list b`")).toEqual([{ kind: "run", command: "echo a and list b" }]);
    expect(actions('run echo "read me" && ls')).toEqual([{ kind: "run", command: 'echo "read me" && ls' }]);
    expect(actions('write "read this and run that" to a.txt')).toEqual([
      { kind: "write", path: "a.txt", content: "read this and run that\n" },
    ]);
  });

  it("knows what it and that file mean", () => {
    expect(parseRequest('create a.txt with "x" and then read it').steps).toEqual([
      [{ kind: "write", path: "a.txt", content: "x\n" }],
      [{ kind: "read", path: "a.txt" }],
    ]);
    expect(actions('in b.md replace "x" with "y", then show me that file again').at(-1)).toEqual({
      kind: "read",
      path: "b.md",
    });
    expect(parseRequest("what's the version? look in package.json")).toMatchObject({
      steps: [[{ kind: "read", path: "package.json" }]],
      asks: [{ kind: "value", key: "version" }],
    });
    expect(parseRequest("how many files are in src?")).toMatchObject({
      steps: [[{ kind: "list", path: "src" }]],
      asks: [{ kind: "count", what: "files" }],
    });
  });

  it("knows small talk, and says what it does not understand", () => {
    expect(parseRequest("hello").small).toBe("hello");
    expect(parseRequest("What can you do?").small).toBe("help");
    expect(parseRequest("Thanks!").small).toBe("thanks");
    expect(parseRequest("compose a sonnet about gardens")).toMatchObject({
      steps: [],
      unclear: ["compose a sonnet about gardens"],
    });
    expect(parseRequest("")).toEqual({ steps: [], asks: [], unclear: [], small: null });
  });

  it("never throws and never hangs, whatever is asked", () => {
    const words = fc.constantFrom(
      "read",
      "and",
      "then",
      "in",
      "with",
      "to",
      '"',
      "'",
      "`",
      "the",
      "file",
      "a.txt",
      "\n",
      ",",
      "replace",
      "run",
      "what",
      "is",
      "```",
      "of",
      "how",
      "many",
      "lines",
      " ",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(words, { maxLength: 30 }).map((list) => list.join(" ")),
          fc.string(),
        ),
        (text) => {
          parseRequest(text);
        },
      ),
      { numRuns: runs(500) },
    );
    parseRequest("read ".repeat(2000));
    parseRequest(`replace ${"a ".repeat(3000)}`);
  });
});
