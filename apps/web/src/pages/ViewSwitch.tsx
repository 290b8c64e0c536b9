import { useShown } from "../store/session-context.tsx";
import { Segments } from "../ui/Segments.tsx";

const VIEWS = [
  { name: "talk", title: "Talk" },
  { name: "map", title: "Map" },
] as const;

/** Transcript or map of the same place. */
export const ViewSwitch = () => {
  const { mode, showMode } = useShown();
  const at = "at" in mode ? mode.at : null;
  return (
    <Segments
      label="View"
      choices={VIEWS}
      value={mode.kind === "map" ? "map" : "talk"}
      onChange={(kind) => showMode({ kind, at })}
    />
  );
};
