import { ForkDialog } from "./ForkDialog.tsx";
import { OutcomeDialog } from "./OutcomeDialog.tsx";

/** What marking and forking ask. */
const MoveDialogs = () => (
  <>
    <OutcomeDialog />
    <ForkDialog />
  </>
);

export default MoveDialogs;
