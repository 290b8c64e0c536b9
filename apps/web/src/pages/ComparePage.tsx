import type { EntryId } from "@espalier/protocol";
import { type RefObject, useCallback } from "react";
import { CompareStage } from "../features/compare/CompareStage.tsx";
import type { FieldHandle } from "../features/composer/MessageField.tsx";

/** Frames that are waited for the composer to be there: it comes with the transcript. */
const PATIENCE = 60;

const focusSoon = (field: RefObject<FieldHandle | null>, left: number): void => {
  if (field.current) field.current.focus();
  else if (left > 0) requestAnimationFrame(() => focusSoon(field, left - 1));
};

interface ComparePageProps {
  a: EntryId;
  b: EntryId;
  field: RefObject<FieldHandle | null>;
  onClose: () => void;
}

/** The stage with two branches beside each other. */
const ComparePage = ({ a, b, field, onClose }: ComparePageProps) => {
  // The transcript takes the stage's place first.
  const onWrite = useCallback(() => requestAnimationFrame(() => focusSoon(field, PATIENCE)), [field]);
  return <CompareStage a={a} b={b} onClose={onClose} onWrite={onWrite} />;
};

export default ComparePage;
