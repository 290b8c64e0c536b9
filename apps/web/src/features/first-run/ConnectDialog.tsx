import { problemOf } from "@espalier/core";
import { useState } from "react";
import { useModels, useWorkspace } from "../../store/queries.ts";
import { useServices } from "../../store/services.tsx";
import { Button } from "../../ui/Button.tsx";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { shownPath } from "../../view/format.ts";
import styles from "./FirstRun.module.css";

const FIRST = ["anthropic", "openai", "openrouter"];

const NAMES: Readonly<Record<string, string>> = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  openrouter: "OpenRouter",
};

const Form = ({ onClose }: { onClose: () => void }) => {
  const { api, queries } = useServices();
  const models = useModels();
  const workspace = useWorkspace();
  const [provider, setProvider] = useState("anthropic");
  const [key, setKey] = useState("");
  const [saving, setSaving] = useState(false);
  const known = (models.data?.models ?? []).map((model) => model.provider).filter((name) => name !== "demo");
  const providers = [...new Set([...FIRST, ...known])];
  const save = async (): Promise<void> => {
    setSaving(true);
    try {
      const { masked, storedIn } = await api.saveProviderKey(provider, key.trim());
      setKey("");
      showToast(`${masked} is kept in ${shownPath(storedIn)}.`);
      await queries.invalidateQueries({ queryKey: ["models"] });
      onClose();
    } catch (error) {
      showToast(problemOf(error).message, "error");
    } finally {
      setSaving(false);
    }
  };
  const dataDir = shownPath(workspace.data?.dataDir ?? "~/.espalier");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className={styles.form}>
        <label>
          Provider
          <select value={provider} onChange={(event) => setProvider(event.target.value)}>
            {providers.map((name) => (
              <option key={name} value={name}>
                {NAMES[name] ?? name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Key
          <input
            type="password"
            autoComplete="off"
            spellCheck={false}
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
        <p className={styles.note}>
          The key goes to the backend on this machine and stays there. The page never sees it again. For
          another address (Ollama, LM Studio, a gateway), name it in <code>{dataDir}/models.json</code>.
        </p>
        {(models.data?.problems ?? []).map((problem) => (
          <p key={problem.message} className={styles.problem}>
            {problem.message}
          </p>
        ))}
      </div>
      <DialogFooter>
        <Button size="large" onClick={onClose}>
          Cancel
        </Button>
        <Button size="large" look="primary" type="submit" disabled={key.trim() === "" || saving}>
          Keep key
        </Button>
      </DialogFooter>
    </form>
  );
};

/** Takes a provider's key. */
export const ConnectDialog = ({ open, onClose }: { open: boolean; onClose: () => void }) => (
  <Dialog open={open} onClose={onClose} title="Connect a model">
    <Form onClose={onClose} />
  </Dialog>
);
