import type { EntryId } from "@espalier/protocol";
import { CompactionStage } from "../features/compaction/CompactionStage.tsx";
import { PreviewStage } from "../features/compaction/PreviewStage.tsx";

/** The stage as a compaction that is looked into; without an id as one that is not made yet. */
const CompactionPage = ({ id }: { id: EntryId | null }) =>
  id === null ? <PreviewStage /> : <CompactionStage id={id} />;

export default CompactionPage;
