import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { Failure } from '../../ui/states.tsx';
import { FIELDS, guessOf, type Header, headerOf, LEFT_OUT, mapped, textOf } from './csv.ts';
import { words } from './words.ts';

interface Chosen {
  readonly text: string;
  readonly header: Header;
  /** What each column is; '': what its name says. */
  readonly fields: readonly string[];
}

const LOOK_MS = 500;

/** A file, what its columns are, and then how it goes. */
export function ImportForm(): JSX.Element {
  const t = words();
  const id = useId();
  const chosen = useSignal<Chosen | null>(null);
  const isOptIn = useSignal(false);
  const result = useSignal<Schemas['ContactImport'] | null>(null);
  const acting = useAct();
  const choose = async (file: File | undefined): Promise<void> => {
    result.value = null;
    if (!file) return;
    const text = textOf(new Uint8Array(await file.arrayBuffer()));
    const header = headerOf(text);
    chosen.value = { text, header, fields: header.cells.map(guessOf) };
  };
  const start = (): Promise<void> =>
    acting.run(async () => {
      if (!chosen.value) return;
      const { text, header, fields } = chosen.value;
      const body: Record<string, unknown> = Object(new Blob([mapped(text, header, fields)], { type: 'text/csv' }));
      const { id: importId } = await call('importContacts', { query: { opt_in: isOptIn.value }, body });
      do {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        result.value = await call('getContactImport', { params: { id: importId } });
      } while (result.value.status === 'queued' || result.value.status === 'running');
    });
  const hasPhone = chosen.value?.fields.includes('phone') ?? false;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <div class="field">
        <label for={id}>{t.file}</label>
        <input
          id={id}
          type="file"
          accept=".csv,text/csv"
          data-testid="import-file"
          onChange={(event) => choose(event.currentTarget.files?.[0])}
        />
      </div>
      {chosen.value && (
        <Columns
          chosen={chosen.value}
          onFields={(fields) => {
            if (chosen.value) chosen.value = { ...chosen.value, fields };
          }}
        />
      )}
      {chosen.value && !hasPhone && <p class="fault">{t.needsPhone}</p>}
      <label class="check">
        <input type="checkbox" checked={isOptIn.value} onChange={(event) => (isOptIn.value = event.currentTarget.checked)} />
        {t.optInAll}
      </label>
      {acting.error.value && <Failure error={acting.error.value} />}
      {result.value && <Result result={result.value} />}
      <button type="submit" class="button first" data-testid="import-start" disabled={!hasPhone || acting.isBusy.value}>
        {t.start}
      </button>
    </form>
  );
}

function Columns({ chosen, onFields }: { readonly chosen: Chosen; readonly onFields: (fields: readonly string[]) => void }): JSX.Element {
  const t = words();
  return (
    <fieldset class="field">
      <legend>{t.columns}</legend>
      <div class="choices">
        {chosen.header.cells.map((cell, nth) => (
          <label key={nth} class="field">
            <span class="small breaks">{cell === '' ? nth + 1 : cell}</span>
            <select
              value={chosen.fields[nth] ?? ''}
              onChange={(event) => onFields(chosen.fields.map((field, at) => (at === nth ? event.currentTarget.value : field)))}
            >
              <option value="">{t.asNamed}</option>
              <option value={LEFT_OUT}>{t.ignore}</option>
              {FIELDS.map((field) => (
                <option key={field} value={field}>
                  {field}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Result({ result }: { readonly result: Schemas['ContactImport'] }): JSX.Element {
  const t = words();
  const { status, total, created, updated, invalid, errors } = result;
  const done = created + updated + invalid;
  return (
    <div class="stack" data-testid="import-result" data-status={status}>
      <div
        class="progress"
        role="progressbar"
        aria-label={t.progress}
        aria-valuemin={0}
        aria-valuenow={done}
        aria-valuemax={Math.max(total, done)}
      >
        <div style={{ inlineSize: `${total === 0 ? 0 : (100 * done) / total}%` }} />
      </div>
      <p role="status">
        {status === 'done' ? t.result(created, updated, invalid) : status === 'failed' ? t.failed : t.running(done, total)}
      </p>
      {errors.length > 0 && (
        <section class="table-box" tabIndex={0} aria-label={t.errors}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t.row}</th>
                <th scope="col">{t.field}</th>
                <th scope="col">{t.error}</th>
              </tr>
            </thead>
            <tbody>
              {errors.map(({ row, field, error }) => (
                <tr key={`${row} ${field}`} data-testid="import-error">
                  <td class="figures">{row}</td>
                  <td>{field}</td>
                  <td class="breaks">{error}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </div>
  );
}
