import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { EditableRow } from '../../ui/editable-row.tsx';
import { Field } from '../../ui/field.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { numberText } from '../../words/formats.ts';
import { words } from './words.ts';

type Doc = Schemas['KnowledgeDocument'];

const LOOK_MS = 1_500;
const TONES = { uploading: 'calm', parsing: 'calm', ready: 'good', failed: 'bad', deleting: 'calm' } as const;
const isMoving = ({ status }: Doc): boolean => status !== 'ready' && status !== 'failed';

export function Documents(): JSX.Element {
  const t = words();
  const documents = useResource('documents', (signal) => call('listDocuments', {}, { signal }));
  const load = documents.load.value;
  const isUnderWay = load.state === 'loaded' && load.data.documents.some(isMoving);
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(() => document.hidden || documents.reload(), LOOK_MS);
    return () => clearInterval(timer);
  }, [isUnderWay]);
  return (
    <section class="stack" aria-label={t.documents}>
      <h2>{t.documents}</h2>
      <AddDocument onAdded={documents.reload} />
      <Loaded of={documents}>
        {({ documents: list }) => (
          <Listing of={list} empty={<p class="soft">{t.noDocuments}</p>}>
            {(one) => <Row key={one.id} doc={one} onChange={documents.reload} />}
          </Listing>
        )}
      </Loaded>
    </section>
  );
}

function AddDocument({ onAdded }: { readonly onAdded: () => void }): JSX.Element {
  const t = words();
  const id = useId();
  const picker = useRef<HTMLInputElement>(null);
  const page = useSignal('');
  const adding = useAct();
  const upload = (): Promise<void> =>
    adding.run(async () => {
      const file = picker.current?.files?.[0];
      if (!file || !picker.current) return;
      const body = new FormData();
      body.append('file', file);
      await call('uploadDocument', { body });
      picker.current.value = '';
      onAdded();
    });
  const read = (): Promise<void> =>
    adding.run(async () => {
      await call('addDocumentPage', { body: { url: page.value } });
      page.value = '';
      onAdded();
    });
  const submit = (act: () => Promise<void>) => (event: SubmitEvent) => {
    event.preventDefault();
    void act();
  };
  return (
    <>
      <div class="columns">
        <form class="form" onSubmit={submit(upload)}>
          <div class="field">
            <label for={id}>{t.file}</label>
            <input id={id} ref={picker} type="file" required accept=".pdf,.docx,.xlsx,.csv,.txt,.md,.html" />
          </div>
          <div class="row">
            <button type="submit" class="button slim" disabled={adding.isBusy.value}>
              {t.upload}
            </button>
          </div>
        </form>
        <form class="form" onSubmit={submit(read)}>
          <Field label={t.page} type="url" required autocomplete="off" value={page.value} onValue={(value) => (page.value = value)} />
          <div class="row">
            <button type="submit" class="button slim" disabled={adding.isBusy.value}>
              {t.readPage}
            </button>
          </div>
        </form>
      </div>
      {adding.error.value && <Failure error={adding.error.value} />}
    </>
  );
}

function Row({ doc, onChange }: { readonly doc: Doc; readonly onChange: () => void }): JSX.Element {
  const t = words();
  const { id, name, status, progress, chunks, error, warnings, source_url } = doc;
  const acting = useAct();
  const act = (work: () => Promise<unknown>): Promise<void> =>
    acting.run(async () => {
      await work();
      onChange();
    });
  return (
    <EditableRow
      remove={{ label: t.removeOf(name), ask: t.removeAsk, run: () => call('deleteDocument', { params: { id } }) }}
      act={acting}
      onChange={onChange}
    >
      <div class="grow">
        <strong class="breaks">{name}</strong>
        <p class="soft small breaks">
          {t.passages(numberText(chunks))}
          {source_url !== null && ` · ${source_url}`}
        </p>
        {error !== null && <p class="small breaks">{error}</p>}
        {warnings
          .filter((warning) => warning !== error)
          .map((warning) => (
            <p key={warning} class="small breaks">
              {warning}
            </p>
          ))}
        {isMoving(doc) && <progress aria-label={t.reading(name)} max={1} value={progress} />}
      </div>
      <Badge tone={TONES[status]} text={t.states[status]} />
      {!isMoving(doc) && (
        <button
          type="button"
          class="button slim"
          aria-label={t.againOf(name)}
          disabled={acting.isBusy.value}
          onClick={() => act(() => call('parseDocument', { params: { id } }))}
        >
          {t.again}
        </button>
      )}
    </EditableRow>
  );
}
