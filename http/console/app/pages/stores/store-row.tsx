import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { whenText } from '../../words/formats.ts';
import { StoreEvents } from './store-events.tsx';
import { StoreForm } from './store-form.tsx';
import { TestForm } from './test-form.tsx';
import { TextsForm } from './texts-form.tsx';
import { words } from './words.ts';

const MARKS = { platform_a: '/', platform_b: '.' } as const;
const TONES = { ok: 'good', quiet: 'warn', failing: 'bad' } as const;

const topicsOf = (platform: keyof typeof MARKS, topics: readonly string[]): readonly string[] =>
  topics.filter((topic) => topic.includes(MARKS[platform]));

interface StoreRowProps {
  readonly store: Schemas['StoreIntegration'];
  readonly devices: readonly (readonly [string, string])[];
  readonly topics: readonly string[];
  readonly onChange: () => void;
}

export function StoreRow({ store, devices, topics, onChange }: StoreRowProps): JSX.Element {
  const t = words();
  const { id, name, platform, enabled, has_secret, webhook_url, health, last_event_at, session_id } = store;
  const open = useSignal<'edit' | 'texts' | 'test' | 'remove' | null>(null);
  const acting = useAct();
  const close = (): void => {
    open.value = null;
  };
  const act = (work: () => Promise<unknown>): Promise<void> =>
    acting.run(async () => {
      await work();
      onChange();
    });
  const turn = (): Promise<void> => act(() => call('changeStore', { params: { id }, body: { enabled: !enabled } }));
  const opens = [
    ['edit', common().edit, t.editOf(name)],
    ['texts', t.texts, t.textsOf(name)],
    ['test', t.test, t.testOf(name)],
    ['remove', t.remove, t.removeOf(name)],
  ] as const;
  return (
    <li>
      <div class="line">
        <div class="grow">
          <strong class="breaks">{name}</strong>
          <p class="soft small breaks">
            {t.platforms[platform]} · {devices.find(([one]) => one === (session_id ?? ''))?.[1]} ·{' '}
            {last_event_at === null ? t.never : t.lastEvent(whenText(last_event_at))}
          </p>
        </div>
        <Badge tone={enabled ? TONES[health.state] : 'calm'} text={enabled ? t.health[health.state] : t.off} />
        <div class="buttons">
          <button
            type="button"
            class="button slim"
            aria-label={enabled ? t.turnOffOf(name) : t.turnOnOf(name)}
            disabled={acting.isBusy.value}
            onClick={turn}
          >
            {enabled ? t.turnOff : t.turnOn}
          </button>
          {opens.map(([what, text, label]) => (
            <button
              key={what}
              type="button"
              class="button slim"
              aria-haspopup="dialog"
              aria-label={label}
              onClick={() => (open.value = what)}
            >
              {text}
            </button>
          ))}
        </div>
        {health.reasons.length > 0 && (
          <ul class="small grow">
            {health.reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        )}
      </div>
      <div class="line small">
        <div class="grow stack">
          {!has_secret && <p>{t.noSecret}</p>}
          {webhook_url !== null && (
            <p class="breaks">
              {t.url}: <code>{webhook_url}</code>
            </p>
          )}
          <p class="breaks soft">
            {t.topics}: {topicsOf(platform, topics).join(', ')}
          </p>
        </div>
      </div>
      <StoreEvents id={id} />
      {acting.error.value && <Failure error={acting.error.value} />}
      <StoreForm store={store} devices={devices} isOpen={open.value === 'edit'} onClose={close} onSaved={onChange} />
      <TextsForm store={store} isOpen={open.value === 'texts'} onClose={close} onSaved={onChange} />
      <TestForm store={store} isOpen={open.value === 'test'} onClose={close} />
      <Confirm
        title={t.removeOf(name)}
        verb={t.remove}
        isDangerous
        isOpen={open.value === 'remove'}
        isBusy={acting.isBusy.value}
        onClose={close}
        onConfirm={() => act(() => call('disconnectStore', { params: { id } }).finally(close))}
      >
        <p>{t.removeAsk}</p>
      </Confirm>
    </li>
  );
}
