import type { EntryId } from "@espalier/protocol";
import { CompactionStage } from "../features/compaction/CompactionStage.tsx";

/** The stage as a compaction that is looked into. */
const CompactionPage = ({ id }: { id: EntryId }) => <CompactionStage id={id} />;

export default CompactionPage;
