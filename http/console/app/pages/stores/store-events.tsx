import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { onResync } from '../../state/live.ts';
import { Loaded } from '../../ui/states.tsx';
import { whenText } from '../../words/formats.ts';
import { words } from './words.ts';

export function StoreEvents({ id }: { readonly id: string }): JSX.Element {
  const t = words();
  const isOpen = useSignal(false);
  return (
    <details class="line as-code" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{t.events}</summary>
      {isOpen.value && <Events id={id} />}
    </details>
  );
}

function Events({ id }: { readonly id: string }): JSX.Element {
  const t = words();
  const events = useResource(id, (signal) => call('listStoreEvents', { params: { id } }, { signal }));
  useEffect(() => onResync(events.resync), []);
  return (
    <Loaded of={events}>
      {({ items }) =>
        items.length === 0 ? (
          <p class="soft small">{t.noEvents}</p>
        ) : (
          <ul class="small">
            {items.map((event) => (
              <li key={event.id} class="breaks">
                {whenText(event.created_at)}: <code>{event.topic}</code> {event.ref} · {t.outcomes[event.outcome]}
                {event.detail !== null && ` (${event.detail})`}
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
