import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface SearchFieldProps {
  readonly label: string;
  readonly q: string;
  readonly onSearch: (q: string) => void;
  readonly testId?: string;
}

const PAUSE_MS = 250;

export function SearchField({ label, q, onSearch, testId }: SearchFieldProps): JSX.Element {
  const typed = useSignal(q);
  useEffect(() => {
    typed.value = q;
  }, [q]);
  useEffect(() => {
    if (typed.value.trim() === q) return;
    const timer = setTimeout(() => onSearch(typed.value.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <search class="search-field">
      <Icon name="search" small />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        data-testid={testId}
        value={typed.value}
        onInput={(event) => (typed.value = event.currentTarget.value)}
      />
    </search>
  );
}
