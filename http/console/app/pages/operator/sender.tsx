import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { call, callForBytes } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { phoneText } from '../../words/phone.ts';
import { words } from './words.ts';

const LOOK_MS = 2_000;

export function Sender(): JSX.Element {
  const t = words();
  const sender = useResource('sender', (signal) => call('getSender', {}, { signal }));
  const linking = useAct();
  useEffect(() => {
    const timer = setInterval(() => document.hidden || sender.reload(), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const link = (): Promise<void> =>
    linking.run(async () => {
      sender.put(await call('connectSender', {}));
    });
  return (
    <Loaded of={sender}>
      {({ status, phone, qr }) => (
        <section class="card stack" aria-label={t.sender}>
          <dl class="facts">
            <div>
              <dt>{t.status}</dt>
              <dd>
                <Badge tone={status === 'connected' ? 'good' : 'warn'} text={statusText(status)} />
              </dd>
            </div>
            <div>
              <dt>{t.number}</dt>
              <dd>{phone === null ? t.none : <bdi class="tel">{phoneText(phone.replace(/\D/g, ''))}</bdi>}</dd>
            </div>
          </dl>
          {qr !== null && <Picture code={qr} />}
          {linking.error.value && <Failure error={linking.error.value} onRetry={link} />}
          {status !== 'connected' && qr === null && (
            <div class="row">
              <button type="button" class="button first" disabled={linking.isBusy.value} onClick={link}>
                {t.link}
              </button>
            </div>
          )}
        </section>
      )}
    </Loaded>
  );
}

function statusText(status: string): string {
  const names: Readonly<Record<string, string>> = common().status;
  return names[status] ?? status;
}

function Picture({ code }: { readonly code: string }): JSX.Element {
  const t = words();
  const source = useSignal<string | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    callForBytes('getSenderQr', { query: { format: 'png' } }, { signal: controller.signal }).then(
      (bytes) => {
        source.value = URL.createObjectURL(bytes);
      },
      // The error is ignored, because the code has expired and the next reload fetches another one.
      () => {},
    );
    return () => {
      controller.abort();
      if (source.peek() !== null) URL.revokeObjectURL(source.peek() ?? '');
      source.value = null;
    };
  }, [code]);
  return <div class="qr-frame">{source.value !== null && <img src={source.value} alt={t.picture} />}</div>;
}
