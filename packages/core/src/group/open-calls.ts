/**
 * The unanswered calls of a path, by id. Ids repeat (some servers give every call the same one), so a result goes to the
 * nearest earlier step that still has an unanswered call with its id, and there to the first such call in source order.
 */
export class OpenCalls<Step> {
  readonly #open = new Map<string, { step: Step; calls: number[] }[]>();

  /** Notes the unanswered calls of a step: pairs of id and place, in source order. */
  declare(step: Step, calls: readonly (readonly [id: string, call: number])[]): void {
    for (const [id, call] of calls) {
      const steps = this.#open.get(id) ?? [];
      const last = steps.at(-1);
      if (last?.step === step) last.calls.push(call);
      else steps.push({ step, calls: [call] });
      this.#open.set(id, steps);
    }
  }

  /** The call that a result with this id answers; it counts as answered from now on. Null: no such call is open. */
  answer(id: string): { step: Step; call: number } | null {
    const steps = this.#open.get(id);
    const nearest = steps?.at(-1);
    const call = nearest?.calls.shift();
    if (steps === undefined || nearest === undefined || call === undefined) return null;
    if (nearest.calls.length === 0) steps.pop();
    if (steps.length === 0) this.#open.delete(id);
    return { step: nearest.step, call };
  }
}
