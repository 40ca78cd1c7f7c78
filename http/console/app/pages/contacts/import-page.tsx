import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { addressWith } from '../../ui/address.ts';
import { Choice } from '../../ui/choice.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { Steps } from '../../ui/steps.tsx';
import { numberText } from '../../words/formats.ts';
import { DropZone } from './drop-zone.tsx';
import { attributeOf, Columns } from './import-columns.tsx';
import { ImportResult } from './import-result.tsx';
import { Faults, FirstRows } from './import-rows.tsx';
import { words } from './words.ts';

type Preview = Schemas['ContactImportPreview'];
type Bare = '' | 'national' | 'international';

export function ImportPage(): JSX.Element {
  const t = words();
  const { query } = useLocation();
  const running = query['import'];
  const attributes = useResource('attributes', (signal) => call('listAttributes', {}, { signal }));
  return (
    <Page
      title={t.importTitle}
      within={[t.title, `${BASE}/contacts`]}
      actions={
        <a class="button plain" href={`${BASE}/contacts`}>
          <Icon name="close" />
          {t.closeImport}
        </a>
      }
    >
      {running ? (
        <ImportResult id={running} />
      ) : (
        <Loaded of={attributes}>{(all) => <Choosing known={new Set(all.attributes.map(({ key }) => key.toLowerCase()))} />}</Loaded>
      )}
    </Page>
  );
}

/** `known` contains names in lower case, because the gateway ignores case. */
function Choosing({ known }: { readonly known: ReadonlySet<string> }): JSX.Element {
  const t = words();
  const { route } = useLocation();
  const file = useSignal<File | null>(null);
  const preview = useSignal<Preview | null>(null);
  const chosen = useSignal<ReadonlyMap<string, string>>(new Map());
  const bare = useSignal<Bare>('');
  const isOptIn = useSignal(false);
  const acting = useAct();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (preview.value) heading.current?.focus();
  }, [preview.value === null]);
  const fields = fieldsOf(chosen.value, isOptIn.value, bare.value);
  const checked = useChecked(preview.value ? file.value : null, fields);
  const now = checked ?? preview.value;
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
      const { id } = await call('importContacts', { body: formOf(file.value, fields) });
      route(addressWith('/contacts/import', { import: id }));
    });
  const hasPhone = [...chosen.value.values()].includes('phone');
  const leftOut = [...chosen.value.values()].filter((as) => as === '').length;
  return (
    <form
      class="wizard"
      onSubmit={(event) => {
        event.preventDefault();
        void (preview.value ? start() : next());
      }}
    >
      <Steps names={[t.upload, t.columns, t.resultTitle]} nth={preview.value ? 1 : 0} />
      <div class="wizard-body stack">
        <h2 class="only-heard" tabIndex={-1} ref={heading}>
          {preview.value ? t.columns : t.upload}
        </h2>
        {!preview.value && <DropZone file={file.value} onFile={(one) => (file.value = one)} />}
        {preview.value && now && (
          <>
            <p class="soft" role="status">
              <bdi>{file.value?.name}</bdi>, {t.rowsFound(preview.value.rows)}. {matchedText(preview.value)}
            </p>
            <Columns
              columns={preview.value.columns}
              chosen={chosen.value}
              known={known}
              onChoose={(header, as) => (chosen.value = new Map([...chosen.value, [header, as]]))}
            />
            {!hasPhone && <p class="notice warn">{t.needsPhone}</p>}
            {preview.value.problems.some(({ code }) => code === 'ambiguous_number') && (
              <section class="card">
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
              </section>
            )}
            <label class="choice">
              <input type="checkbox" checked={isOptIn.value} onChange={(event) => (isOptIn.value = event.currentTarget.checked)} />
              <span>
                <b>{t.optInAll}</b>
                <small>{t.optInAllHint}</small>
              </span>
            </label>
            <FirstRows rows={now.first} />
            <Faults title={t.toSkip} faults={hasPhone ? now.problems.filter(({ code }) => code !== 'no_phone_column') : []} />
          </>
        )}
        {acting.error.value && <Failure error={acting.error.value} />}
      </div>
      <div class="foot-bar">
        {preview.value && (
          <button type="button" class="button" onClick={() => (preview.value = null)}>
            {t.back}
          </button>
        )}
        <span class="small meta">
          {preview.value && [t.rowsFound(preview.value.rows), leftOut > 0 && t.leftOut(leftOut)].filter(Boolean).join(', ')}
        </span>
        {preview.value ? (
          <button type="submit" class="button first" data-testid="import-start" disabled={!hasPhone || acting.isBusy.value}>
            {t.startRows(numberText(preview.value.rows), preview.value.rows)}
          </button>
        ) : (
          <button type="submit" class="button first" data-testid="import-next" disabled={!file.value || acting.isBusy.value}>
            {t.next}
          </button>
        )}
      </div>
    </form>
  );
}

function matchedText({ columns }: Preview): string {
  const matched = columns.filter(({ as }) => as !== null).length;
  return words().matchedOf(matched, columns.length);
}

function fieldsOf(chosen: ReadonlyMap<string, string>, isOptIn: boolean, bare: Bare): Readonly<Record<string, string>> {
  const columns = Object.fromEntries([...chosen].map(([header, as]) => [header, as === '' ? null : as]));
  return { columns: JSON.stringify(columns), opt_in: String(isOptIn), ...(bare && { bare_numbers: bare }) };
}

const STILL_MS = 400;

function useChecked(file: File | null, fields: Readonly<Record<string, string>>): Preview | null {
  const found = useSignal<Preview | null>(null);
  useEffect(() => {
    if (!file) return;
    const over = new AbortController();
    const ask = (): void => {
      call('previewContactImport', { body: formOf(file, fields) }, { signal: over.signal }).then(
        (preview) => (found.value = preview),
        () => (found.value = null),
      );
    };
    const timer = setTimeout(ask, STILL_MS);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [file, JSON.stringify(fields)]);
  return file ? found.value : null;
}

/** Appends the file last, so that the gateway receives the other fields before it. */
function formOf(file: File, fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', file);
  return form;
}
