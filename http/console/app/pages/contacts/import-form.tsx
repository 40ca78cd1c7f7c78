import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { Choice } from '../../ui/choice.tsx';
import { Failure } from '../../ui/states.tsx';
import { attributeOf, Columns } from './import-columns.tsx';
import { words } from './words.ts';

type Preview = Schemas['ContactImportPreview'];
type Bare = '' | 'national' | 'international';

const LOOK_MS = 500;

/** A file, then what its columns are, then how the import goes. The gateway reads the file: here it is only handed over. */
export function ImportForm(): JSX.Element {
  const t = words();
  const id = useId();
  const file = useSignal<File | null>(null);
  const preview = useSignal<Preview | null>(null);
  const chosen = useSignal<ReadonlyMap<string, string>>(new Map());
  const bare = useSignal<Bare>('');
  const isOptIn = useSignal(false);
  const result = useSignal<Schemas['ContactImport'] | null>(null);
  const acting = useAct();
  const next = (): Promise<void> =>
    acting.run(async () => {
      if (!file.value) return;
      const found = await call('previewContactImport', { body: formOf(file.value, {}) });
      chosen.value = new Map(found.columns.map(({ header, as }, nth) => [header, as ?? attributeOf(header, nth)]));
      preview.value = found;
    });
  const start = (): Promise<void> =>
    acting.run(async () => {
      if (!file.value) return;
      const columns = Object.fromEntries([...chosen.value].map(([header, as]) => [header, as === '' ? null : as]));
      const fields = { columns: JSON.stringify(columns), opt_in: String(isOptIn.value), ...(bare.value && { bare_numbers: bare.value }) };
      const { id: importId } = await call('importContacts', { body: formOf(file.value, fields) });
      do {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        result.value = await call('getContactImport', { params: { id: importId } });
      } while (result.value.status === 'queued' || result.value.status === 'running');
    });
  const hasPhone = [...chosen.value.values()].includes('phone');
  if (result.value) return <Result result={result.value} />;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void (preview.value ? start() : next());
      }}
    >
      {!preview.value && (
        <div class="field">
          <label for={id}>{t.file}</label>
          <input
            id={id}
            type="file"
            accept=".csv,.xlsx,.vcf,text/csv,text/vcard"
            data-testid="import-file"
            onChange={(event) => (file.value = event.currentTarget.files?.[0] ?? null)}
          />
        </div>
      )}
      {preview.value && (
        <>
          <p role="status">{t.rowsFound(preview.value.rows)}</p>
          <Columns
            columns={preview.value.columns}
            chosen={chosen.value}
            onChoose={(header, as) => (chosen.value = new Map([...chosen.value, [header, as]]))}
          />
          {!hasPhone && <p class="fault">{t.needsPhone}</p>}
          {preview.value.problems.some(({ code }) => code === 'ambiguous_number') && (
            <Choice
              label={t.bareNumbers}
              value={bare.value}
              hint={t.bareNumbersHint}
              options={[
                ['', t.bareEach],
                ['national', t.bareNational],
                ['international', t.bareInternational],
              ]}
              onValue={(value) => (bare.value = value)}
            />
          )}
          <label class="check">
            <input type="checkbox" checked={isOptIn.value} onChange={(event) => (isOptIn.value = event.currentTarget.checked)} />
            {t.optInAll}
          </label>
          <Faults faults={hasPhone ? preview.value.problems.filter(({ code }) => code !== 'no_phone_column') : []} />
        </>
      )}
      {acting.error.value && <Failure error={acting.error.value} />}
      {preview.value ? (
        <button type="submit" class="button first" data-testid="import-start" disabled={!hasPhone || acting.isBusy.value}>
          {t.start}
        </button>
      ) : (
        <button type="submit" class="button first" data-testid="import-next" disabled={!file.value || acting.isBusy.value}>
          {t.next}
        </button>
      )}
    </form>
  );
}

/** The file goes last: what is said of it is there by then. */
function formOf(file: File, fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', file);
  return form;
}

function Result({ result }: { readonly result: Schemas['ContactImport'] }): JSX.Element {
  const t = words();
  const { status, total, created, updated, invalid, opted_out, ignored, errors } = result;
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
      {opted_out > 0 && <p>{t.optedOutRows(opted_out)}</p>}
      {ignored.length > 0 && (
        <p class="soft small breaks">
          {t.ignored} <bdi>{ignored.join(', ')}</bdi>
        </p>
      )}
      <Faults faults={errors} />
    </div>
  );
}

function Faults({ faults }: { readonly faults: readonly Schemas['ContactImportError'][] }): JSX.Element | null {
  const t = words();
  if (faults.length === 0) return null;
  return (
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
          {faults.map(({ row, field, error }) => (
            <tr key={`${row} ${field}`} data-testid="import-error">
              <td class="figures">{row}</td>
              <td>{field}</td>
              <td class="breaks">
                <bdi>{error}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
