import { problemOf } from "@espalier/core";
import type { SessionId } from "@espalier/protocol";
import { type DragEvent, useState } from "react";
import { useLocation } from "wouter";
import { useServices } from "../../store/services.tsx";
import { showToast } from "../../ui/toast-store.ts";

/** Reads dropped or chosen files into the data folder; returns the last session made. */
export const useImport = (): ((files: readonly File[]) => Promise<void>) => {
  const { api, queries } = useServices();
  const [, go] = useLocation();
  return async (files) => {
    let last: SessionId | null = null;
    for (const file of files) {
      try {
        last = (await api.openFile(file)).id;
      } catch (error) {
        showToast(`${file.name}: ${problemOf(error).message}`, "error");
      }
    }
    if (last === null) return;
    await queries.invalidateQueries({ queryKey: ["sessions"] });
    go(`/s/${encodeURIComponent(last)}`);
  };
};

/** Whether files are being dragged over the page, and what to do when they are let go. */
export const useDropZone = (onDrop: (files: readonly File[]) => void) => {
  const [over, setOver] = useState(false);
  return {
    over,
    zone: {
      onDragOver: (event: DragEvent) => {
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        if (event.currentTarget === event.target) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        event.preventDefault();
        setOver(false);
        onDrop([...event.dataTransfer.files]);
      },
    },
  };
};
