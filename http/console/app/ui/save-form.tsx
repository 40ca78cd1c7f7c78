import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { toast } from '../state/toast.ts';
import { common } from '../words/common.ts';
import { useAct } from './act.ts';
import { Failure } from './states.tsx';

export interface FormParts<T> {
  readonly value: T;
  readonly change: (patch: Partial<T>) => void;
  /** Returns the error of the field at a dotted path. */
  readonly fault: (path: string) => string | undefined;
}

interface SaveFormProps<T> {
  readonly title: string;
  readonly about: string;
  readonly data: T;
  readonly save: (value: T) => Promise<T & { readonly warnings?: readonly { readonly message: string }[] }>;
  readonly children: (parts: FormParts<T>) => ComponentChildren;
}

export const SectionHead = ({ title, about }: { readonly title: string; readonly about: string }): JSX.Element => (
  <div class="section-head">
    <h2>{title}</h2>
    <p class="soft">{about}</p>
  </div>
);

export function SaveForm<T extends object>({ title, about, data, save, children }: SaveFormProps<T>): JSX.Element {
  const t = common();
  const stored = useSignal(data);
  const value = useSignal(data);
  const warned = useSignal<readonly string[]>([]);
  const saving = useAct();
  const isChanged = JSON.stringify(value.value) !== JSON.stringify(stored.value);
  const run = (): Promise<void> =>
    saving.run(async () => {
      const { warnings = [], ...now } = await save(value.value);
      // The response may contain keys that do not belong to this section.
      const own = Object.fromEntries(Object.entries(now).filter(([key]) => key in data));
      stored.value = { ...value.value, ...own };
      value.value = stored.value;
      toast(t.saved);
      warned.value = warnings.map(({ message }) => message);
    });
  const fault = (path: string): string | undefined => saving.error.value?.faults.find((one) => one.path === path)?.message;
  const change = (patch: Partial<T>): void => {
    warned.value = [];
    value.value = { ...value.value, ...patch };
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged) void run();
      }}
    >
      <SectionHead title={title} about={about} />
      {children({ value: value.value, change, fault })}
      {saving.error.value && <Failure error={saving.error.value} onRetry={run} />}
      <div role="status" class="small soft">
        {warned.value.map((one) => (
          <p key={one}>{one}</p>
        ))}
      </div>
      {isChanged && (
        <div class="save-bar" data-testid="save-bar">
          <span>{t.unsaved}</span>
          <button type="button" class="button plain" onClick={() => (value.value = stored.value)}>
            {t.discard}
          </button>
          <button type="submit" class="button first" data-testid="save" disabled={saving.isBusy.value}>
            {t.save}
          </button>
        </div>
      )}
    </form>
  );
}
