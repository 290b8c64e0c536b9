import type { ToolCallContent, ToolResult } from "@espalier/protocol";
import { useMemo } from "react";
import { ColouredCode } from "../code/ColouredCode.tsx";
import { languageOfPath } from "../code/languages.ts";
import { Diff } from "../diff/Diff.tsx";
import styles from "./Card.module.css";
import { CardBody } from "./CardFrame.tsx";
import { editLines } from "./edit-lines.ts";
import { OutputBody } from "./OutputBody.tsx";
import { Pictures } from "./Pictures.tsx";
import { kindOfTool } from "./tool-look.ts";
import { imagesOf, textOfResult } from "./tool-text.ts";

interface CallBodyProps {
  call: ToolCallContent;
  result: ToolResult | null;
}

const pathOf = (call: ToolCallContent): string =>
  typeof call.arguments.path === "string" ? call.arguments.path : "";

const Arguments = ({ call }: { call: ToolCallContent }) => {
  const json = useMemo(() => JSON.stringify(call.arguments, null, 2), [call]);
  return (
    <CardBody term>
      <ColouredCode text={json} language="json" />
      {call.elided !== undefined && <div className={styles.more}>long values are shortened here</div>}
    </CardBody>
  );
};

const EditBody = ({ call, result }: CallBodyProps) => {
  const lines = useMemo(() => editLines(call, result), [call, result]);
  return (
    <>
      {lines.length > 0 && (
        <CardBody>
          <Diff lines={lines} language={languageOfPath(pathOf(call))} />
        </CardBody>
      )}
      {result?.message.isError && <OutputBody result={result} lines={12} look="terminal" />}
    </>
  );
};

const WriteBody = ({ call, result }: CallBodyProps) => {
  const content = typeof call.arguments.content === "string" ? call.arguments.content : "";
  const shown = content.split("\n").slice(0, 200).join("\n");
  return (
    <>
      <CardBody term>
        <ColouredCode text={shown} language={languageOfPath(pathOf(call))} />
        {(shown.length < content.length || call.elided !== undefined) && (
          <div className={styles.more}>only the beginning is shown</div>
        )}
      </CardBody>
      {result?.message.isError && <OutputBody result={result} lines={12} look="terminal" />}
    </>
  );
};

/** The command in full, when one line could not show it. */
const Command = ({ call }: { call: ToolCallContent }) => {
  const command = typeof call.arguments.command === "string" ? call.arguments.command : "";
  if (!command.trim().includes("\n") && command.length < 90) return null;
  return (
    <CardBody term>
      <ColouredCode text={command} language="bash" />
    </CardBody>
  );
};

/** What stands under the head of a call's card: what it was given and what came back, in the tool's own way. */
export const CallBody = ({ call, result }: CallBodyProps) => {
  const kind = kindOfTool(call.name);
  const pictures = result && <Pictures entry={result.entryId} images={imagesOf(result.message.content)} />;
  if (call.argumentsError !== undefined)
    return (
      <>
        <CardBody term>{call.argumentsError}</CardBody>
        {result && <OutputBody result={result} lines={12} look="terminal" />}
      </>
    );
  switch (kind) {
    case "bash":
      return (
        <>
          <Command call={call} />
          {result && <OutputBody result={result} lines={12} look="terminal" />}
          {pictures}
        </>
      );
    case "edit":
      return <EditBody call={call} result={result} />;
    case "write":
      return <WriteBody call={call} result={result} />;
    case "read":
      return (
        <>
          {result && textOfResult(result.message.content).text !== "" && (
            <OutputBody
              result={result}
              lines={40}
              look="code"
              language={result.message.isError ? null : languageOfPath(pathOf(call))}
            />
          )}
          {pictures}
        </>
      );
    case "search":
    case "list":
      return <>{result && <OutputBody result={result} lines={30} look="code" />}</>;
    case "other":
      return (
        <>
          <Arguments call={call} />
          {result && <OutputBody result={result} lines={24} look="terminal" />}
          {pictures}
        </>
      );
  }
};
