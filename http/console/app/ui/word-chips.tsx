import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { common } from '../words/common.ts';
import { Icon } from './icon.tsx';

interface WordChipsProps {
  readonly label: string;
  readonly words: readonly string[];
  readonly onWords: (words: string[]) => void;
  readonly fault?: string | undefined;
}

/** Enter, a comma or leaving the field adds a word. A pasted list adds one word per line. */
export function WordChips({ label, words, onWords, fault }: WordChipsProps): JSX.Element {
  const t = common();
  const id = useId();
  const typed = useSignal('');
  const input = useRef<HTMLInputElement>(null);
  const add = (text: string): void => {
    typed.value = '';
    const added = text.split(/[\n,]/u).map((one) => one.trim());
    const next = [...new Set([...words, ...added.filter((one) => one !== '')])];
    if (next.length > words.length) onWords(next);
  };
  const type = (text: string): void => {
    if (text.includes(',')) add(text);
    else typed.value = text;
  };
  const remove = (word: string): void => {
    onWords(words.filter((one) => one !== word));
    input.current?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.isComposing || typed.value === '') return;
    event.preventDefault();
    add(typed.value);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <ul class="chips">
        <li class="chips-input">
          <input
            id={id}
            ref={input}
            value={typed.value}
            placeholder={t.addWord}
            autocomplete="off"
            aria-invalid={fault ? true : undefined}
            aria-describedby={fault ? `${id}-fault` : undefined}
            onInput={({ currentTarget: { value } }) => type(value)}
            onPaste={(event) => {
              const text = event.clipboardData?.getData('text') ?? '';
              if (!text.includes('\n')) return;
              event.preventDefault();
              add(text);
            }}
            onKeyDown={press}
            onBlur={() => add(typed.value)}
          />
        </li>
        {words.map((word) => (
          <li key={word} class="tag small">
            <bdi class="breaks">{word}</bdi>
            <button type="button" class="button plain" aria-label={t.removeWord(word)} onClick={() => remove(word)}>
              <Icon name="close" small />
            </button>
          </li>
        ))}
      </ul>
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}
