import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { compile, MAX_TEXT_LENGTH, render, type TokenValues } from '../../../../../actors/domain/text-tokens.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { recipientsIn } from './plan.ts';
import type { Draft, StepProps } from './steps.ts';
import { words } from './words.ts';

const SHOWN = 3;

export function What({ draft, onDraft }: StepProps): JSX.Element {
  const t = words();
  const id = useId();
  const people = usePeople(draft);
  return (
    <>
      <div class="field">
        <label for={id}>{t.body}</label>
        <textarea
          id={id}
          rows={6}
          required
          maxLength={65_536}
          data-testid="campaign-body"
          aria-describedby={`${id}-hint`}
          value={draft.body}
          onInput={(event) => onDraft({ body: event.currentTarget.value })}
        />
        <p id={`${id}-hint`} class="hint">
          {t.bodyHint}
        </p>
      </div>
      <section class="stack" data-testid="campaign-preview" aria-label={t.preview}>
        <h3>{t.preview}</h3>
        {draft.body === '' || people.length === 0 ? (
          <p class="soft small">{t.noPreview}</p>
        ) : (
          people.map((values) => <Preview key={values.phone} body={draft.body} values={values} />)
        )}
      </section>
    </>
  );
}

/** Filled by the same rules that fill it when it is sent. */
function Preview({ body, values }: { readonly body: string; readonly values: TokenValues }): JSX.Element {
  const t = words();
  const rendered = render(compile(body), values, MAX_TEXT_LENGTH);
  return (
    <div class="stack">
      <p class="small soft">{t.previewOf(values.name || (values.phone ?? ''))}</p>
      {rendered ? <p class="bubble own">{rendered.text}</p> : <p class="small soft">{t.tooLong}</p>}
      {rendered && rendered.missing.length > 0 && (
        <p class="small soft">{t.missing(rendered.missing.map((one) => `{${one}}`).join(', '))}</p>
      )}
    </div>
  );
}

/** Three of those who would get it. */
function usePeople({ audience, lines, segmentId, tag }: Draft): readonly TokenValues[] {
  const found = useResource(`${audience} ${segmentId} ${tag}`, async (signal) => {
    const query = { limit: SHOWN };
    if (audience === 'segment') return (await call('listSegmentContacts', { params: { id: segmentId }, query }, { signal })).contacts;
    if (audience === 'tag') return (await call('listContacts', { query: { ...query, tag } }, { signal })).contacts;
    return [];
  });
  if (audience === 'typed') return recipientsIn(lines).slice(0, SHOWN);
  const load = found.load.value;
  return load.state === 'loaded' ? load.data : [];
}
