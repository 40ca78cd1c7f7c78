import type { JSX } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';
import { numberText } from '../../words/formats.ts';
import { CampaignTemplate } from '../official/campaign-template.tsx';
import { Attachment } from './attachment.tsx';
import { MOST } from './content.ts';
import { officialTemplates, previewIn, type StepProps } from './steps.ts';
import { words } from './words.ts';

const TOKENS = ['{{first_name|there}}', '{name}', '{phone}', '{var1}'];

export function What(props: StepProps): JSX.Element {
  const { draft, onDraft } = props;
  const templates = officialTemplates(props);
  return (
    <>
      {templates !== null && (
        <CampaignTemplate templates={templates} chosen={draft.template} onChosen={(template) => onDraft({ template })} />
      )}
      {draft.template === null && <Text {...props} />}
      <Attachment media={draft.media} onMedia={(media) => onDraft({ media })} />
    </>
  );
}

function Text(props: StepProps): JSX.Element {
  const { draft, choices, onDraft } = props;
  const t = words();
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const preview = previewIn(props);
  const unknown = draft.body === '' ? [] : (preview?.unknown_tokens ?? []);
  const meant = choices.attributes.filter((key) => unknown.some((one) => one.toLowerCase() === key.toLowerCase()));
  const tokens = [...TOKENS, ...choices.attributes.map((key) => `{attr.${key}}`)];
  const insert = (token: string): void => {
    const box = area.current;
    if (!box || token === '') return;
    const [from, to] = [box.selectionStart, box.selectionEnd];
    onDraft({ body: draft.body.slice(0, from) + token + draft.body.slice(to) });
    box.focus();
  };
  return (
    <>
      {choices.templates.length > 0 && (
        <select
          class="fit"
          aria-label={t.useTemplate}
          value=""
          onChange={({ currentTarget }) => {
            const chosen = choices.templates.find((one) => one.id === currentTarget.value);
            if (chosen?.body) onDraft({ body: chosen.body });
            currentTarget.value = '';
          }}
        >
          <option value="">{t.useTemplate}</option>
          {choices.templates.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </select>
      )}
      <div class="field">
        <label for={id}>{t.body}</label>
        <div class="editor">
          <div class="editor-bar">
            <select
              class="fit"
              aria-label={t.insert}
              value=""
              onChange={({ currentTarget }) => {
                insert(currentTarget.value);
                currentTarget.value = '';
              }}
            >
              <option value="">{t.insert}</option>
              {tokens.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
            <span class="tiny meta figures">{t.chars(numberText(draft.body.length))}</span>
          </div>
          <textarea
            ref={area}
            id={id}
            rows={8}
            required={draft.media === null}
            maxLength={draft.media === null ? MOST.text : MOST.caption}
            data-testid="campaign-body"
            aria-describedby={`${id}-hint ${id}-fault`}
            aria-invalid={unknown.length > 0}
            value={draft.body}
            onInput={(event) => onDraft({ body: event.currentTarget.value })}
          />
        </div>
        <p id={`${id}-hint`} class="hint">
          {t.bodyHint}
        </p>
      </div>
      {unknown.length > 0 && (
        <div id={`${id}-fault`} class="notice warn" role="alert" data-testid="campaign-token-error">
          <span class="effect warn">
            <Icon name="warn" />
            {t.unknown(unknown.map((one) => `{${one}}`).join(', '))}
          </span>
          {meant.map((key) => (
            <button key={key} type="button" class="button plain slim" onClick={() => onDraft({ body: asField(draft.body, key) })}>
              {t.useField(`{attr.${key}}`)}
            </button>
          ))}
          <button type="button" class="button plain slim" onClick={() => onDraft({ body: withoutTokens(draft.body, unknown) })}>
            {t.removeUnknown}
          </button>
        </div>
      )}
    </>
  );
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Writes `{city}` as `{attr.city}`, because fields of contacts have this prefix. */
function asField(body: string, key: string): string {
  return body.replace(new RegExp(`(\\{\\s*)${escaped(key)}(?=\\s*[|}])`, 'gi'), (_, brace) => `${brace}attr.${key}`);
}

function withoutTokens(body: string, tokens: readonly string[]): string {
  return tokens.reduce((text, token) => {
    const name = escaped(token);
    return text.replace(new RegExp(` ?\\{\\{\\s*${name}(\\|[^}]*)?\\s*\\}\\}|  ?\\{${name}\\}|\\{${name}\\}`, 'gi'), '');
  }, body);
}
