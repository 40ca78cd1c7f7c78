import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { draftOf, keepDraft } from '../../state/drafts.ts';
import { send } from '../../state/outbox.ts';
import { useAct } from '../../ui/act.ts';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/states.tsx';
import { chatKey } from './list-state.ts';
import { textOf } from './message-row.tsx';
import { phoneOf } from './names.ts';
import { SendLater } from './send-later.tsx';
import type { Entry } from './thread.ts';
import { type Listening, Voice } from './voice.tsx';
import { words } from './words.ts';

type Template = Schemas['Template'];

interface ComposerProps {
  readonly sessionId: string;
  readonly chatId: string;
  readonly chatName: string | null;
  readonly answering: Entry | null;
  readonly onAnswered: () => void;
  readonly onNote: (text: string) => Promise<void>;
}

const MAX_TEMPLATES = 8;
const MAX_TEXT = 65_536;
const MAX_NOTE = 4_096;

export function Composer({ sessionId, chatId, chatName, answering, onAnswered, onNote }: ComposerProps): JSX.Element {
  const t = words();
  const id = useId();
  const chat = chatKey(sessionId, chatId);
  const text = useSignal(draftOf(chat));
  const file = useSignal<File | null>(null);
  const isVoice = useSignal(false);
  const listening = useSignal<Listening>('off');
  const picker = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const choosing = useTemplates(text.value);
  const acting = useAct();
  const isNote = useSignal(false);
  const suggested = useSignal<string | null>(null);
  useEffect(() => {
    text.value = draftOf(chat);
    isNote.value = false;
    suggested.value = null;
    dropFile();
  }, [chat]);
  useEffect(() => {
    if (answering) box.current?.focus();
  }, [answering]);

  const type = (value: string): void => {
    text.value = value;
    keepDraft(chat, value);
  };
  const dropFile = (): void => {
    file.value = null;
    isVoice.value = false;
    if (picker.current) picker.current.value = '';
  };
  const isEmpty = text.value.trim() === '' && (isNote.value || !file.value);
  const note = (): Promise<void> =>
    acting.run(async () => {
      await onNote(text.value);
      type('');
      isNote.value = false;
      box.current?.focus();
    });
  const suggest = (): Promise<void> =>
    acting.run(async () => {
      const { text: answer } = await call('suggestReply', { params: { sessionId, chatId } });
      suggested.value = answer ?? '';
    });
  const submit = (): void => {
    if (isEmpty) return;
    if (isNote.value) return void note();
    const voiceNote = isVoice.value && file.value?.type.startsWith('audio/') === true;
    send({ session_id: sessionId, chat_id: chatId, text: text.value, reply_to: answering?.id ?? null, file: file.value, voiceNote });
    type('');
    dropFile();
    onAnswered();
    box.current?.focus();
  };
  const choose = (template: Template): Promise<void> =>
    acting.run(async () => {
      const vars = { name: chatName, phone: phoneOf(chatId) };
      type((await call('previewTemplate', { params: { id: template.id }, body: { vars } })).body);
      box.current?.focus();
    });
  const press = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const chosen = choosing.list[choosing.at.value];
    if (choosing.isOpen && event.key === 'Escape') return stop(event, choosing.close);
    if (choosing.isOpen && event.key === 'ArrowDown') return stop(event, () => choosing.move(1));
    if (choosing.isOpen && event.key === 'ArrowUp') return stop(event, () => choosing.move(-1));
    if (event.key !== 'Enter' || event.shiftKey) return;
    // While templates are loading, Enter must not send the typed template name.
    if (choosing.isAsking) return stop(event, () => {});
    stop(event, () => (choosing.isOpen && chosen ? void choose(chosen) : submit()));
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {answering && (
        <div class="row apart small">
          <span class="one-line">{t.replyTo(textOf(answering))}</span>
          <button type="button" class="button plain slim" onClick={onAnswered}>
            {t.dropReply}
          </button>
        </div>
      )}
      {choosing.isOpen && (
        <div id={`${id}-list`} class="templates" role="listbox" aria-label={t.templates}>
          {choosing.list.map((one, nth) => (
            <div
              key={one.id}
              id={`${id}-${nth}`}
              role="option"
              tabIndex={-1}
              aria-selected={nth === choosing.at.value}
              class="template"
              onMouseDown={(event) => stop(event, () => void choose(one))}
            >
              <strong>{one.name}</strong>
              <span class="one-line small soft">{one.body}</span>
            </div>
          ))}
        </div>
      )}
      {acting.error.value && <Failure error={acting.error.value} />}
      {file.value && (
        <div class="row small">
          <span class="breaks">{file.value.name}</span>
          {file.value.type.startsWith('audio/') && (
            <label class="check">
              <input type="checkbox" checked={isVoice.value} onChange={(event) => (isVoice.value = event.currentTarget.checked)} />
              {t.asVoice}
            </label>
          )}
          <button type="button" class="button plain slim" onClick={dropFile}>
            {t.removeFile}
          </button>
        </div>
      )}
      {suggested.value !== null && (
        <div class="suggestion" data-testid="suggestion">
          <Icon small name="spark" />
          <p class="grow message-text">{suggested.value === '' ? t.noSuggestion : <bdi>{suggested.value}</bdi>}</p>
          {suggested.value !== '' && (
            <button
              type="button"
              class="button slim plain"
              onClick={() => {
                type(suggested.value ?? '');
                suggested.value = null;
                box.current?.focus();
              }}
            >
              {t.useSuggestion}
            </button>
          )}
          <button type="button" class="button slim plain" aria-label={t.dropSuggestion} onClick={() => (suggested.value = null)}>
            <Icon small name="close" />
          </button>
        </div>
      )}
      <div class={isNote.value ? 'compose-box is-note' : 'compose-box'}>
        <textarea
          ref={box}
          data-testid="composer"
          aria-label={isNote.value ? t.writeNote : t.write}
          aria-describedby={`${id}-hint`}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={choosing.isOpen ? `${id}-list` : undefined}
          aria-activedescendant={choosing.isOpen ? `${id}-${choosing.at.value}` : undefined}
          rows={Math.min(8, text.value.split('\n').length)}
          maxLength={isNote.value ? MAX_NOTE : MAX_TEXT}
          placeholder={isNote.value ? t.writeNote : t.writeOrSlash}
          value={text.value}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={press}
        />
        <div class="composer-line">
          <label class="attach button slim plain">
            <Icon name="clip" />
            <span class="only-heard">{t.attach}</span>
            <input
              ref={picker}
              type="file"
              class="only-heard"
              data-testid="composer-file"
              disabled={listening.value !== 'off'}
              onChange={(event) => {
                file.value = event.currentTarget.files?.[0] ?? null;
                isVoice.value = false;
                box.current?.focus();
              }}
            />
          </label>
          <Voice
            key={chat}
            listening={listening}
            isTaken={file.value !== null}
            onRecorded={(recorded) => {
              file.value = recorded;
              isVoice.value = true;
              box.current?.focus();
            }}
          />
          <button
            type="button"
            class="button slim plain"
            aria-label={t.templates}
            title={t.templates}
            onClick={() => {
              type('/');
              box.current?.focus();
            }}
          >
            <Icon name="note" />
          </button>
          <button
            type="button"
            class="button slim plain"
            data-testid="composer-suggest"
            aria-label={t.suggest}
            title={t.suggest}
            disabled={acting.isBusy.value}
            onClick={suggest}
          >
            <Icon name="spark" />
          </button>
          <SendLater
            text={text.value}
            {...{ sessionId, chatId }}
            onPlanned={() => {
              type('');
              box.current?.focus();
            }}
          />
          <span class="grow" />
          <button
            type="button"
            class="button slim plain"
            data-testid="composer-note"
            aria-pressed={isNote.value}
            onClick={() => {
              isNote.value = !isNote.value;
              box.current?.focus();
            }}
          >
            <Icon small name="lock" />
            {t.note}
          </button>
          <button
            type="submit"
            class="button slim first"
            data-testid="composer-send"
            disabled={isEmpty || (isNote.value && acting.isBusy.value)}
          >
            {isNote.value ? t.addNote : t.send}
          </button>
        </div>
      </div>
      <p id={`${id}-hint`} class="only-heard">
        {t.writeHint}
      </p>
    </form>
  );
}

function stop(event: Event, run: () => unknown): void {
  event.preventDefault();
  run();
}

function useTemplates(text: string) {
  const all = useSignal<readonly Template[] | null>(null);
  const at = useSignal(0);
  const isClosed = useSignal(false);
  const isAsking = useSignal(false);
  const isAsked = text.startsWith('/') && !text.includes('\n');
  useEffect(() => {
    at.value = 0;
    if (!isAsked) isClosed.value = false;
    if (!isAsked || all.value !== null) return;
    all.value = [];
    isAsking.value = true;
    call('listTemplates', {})
      .then(
        ({ templates }) => {
          all.value = templates.filter(({ message_type, body }) => message_type === 'text' && body !== null);
        },
        () => {
          all.value = null;
        },
      )
      .finally(() => {
        isAsking.value = false;
      });
  }, [text]);
  const wanted = text.slice(1).toLowerCase();
  const fits = ({ name, body }: Template): boolean => name.toLowerCase().includes(wanted) || (body ?? '').toLowerCase().includes(wanted);
  const list = isAsked ? (all.value ?? []).filter(fits).slice(0, MAX_TEMPLATES) : [];
  return {
    list,
    at,
    isAsking: isAsked && isAsking.value,
    isOpen: isAsked && !isClosed.value && list.length > 0,
    close() {
      isClosed.value = true;
    },
    move(by: number) {
      at.value = (at.value + by + list.length) % list.length;
    },
  };
}
