import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { type LiveEvent, onLiveEvent } from '../../state/live.ts';
import { words } from './words.ts';

const SHOWN = 20;

export function Tail(): JSX.Element {
  const t = words();
  const isOpen = useSignal(false);
  const isListening = useSignal(false);
  const heard = useSignal<readonly LiveEvent[]>([]);
  useEffect(() => {
    if (!isOpen.value) return;
    const stop = onLiveEvent((event) => {
      heard.value = [event, ...heard.value].slice(0, SHOWN);
    });
    // Set last, so that "Waiting" does not appear before the listener is attached.
    isListening.value = true;
    return () => {
      stop();
      isListening.value = false;
    };
  }, [isOpen.value]);
  return (
    <details
      class="card"
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{t.tail}</summary>
      <div class="stack">
        <p class="small soft">{t.tailAbout}</p>
        {isListening.value && heard.value.length === 0 && <p class="small">{t.tailWaiting}</p>}
        {heard.value.map((event) => (
          <section key={event.id} class="code" tabIndex={0} aria-label={`${event.type} ${event.id}`}>
            <pre>{JSON.stringify(event, null, 2)}</pre>
          </section>
        ))}
      </div>
    </details>
  );
}
