import type { JSX } from 'preact';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { OptOut } from '../../ui/opt-out.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { consentWords } from '../../words/consent.ts';
import { whenText } from '../../words/formats.ts';
import { words } from './words.ts';

export function ContactConsent({ phone }: { readonly phone: string }): JSX.Element {
  const [t, c] = [words(), consentWords()];
  const acting = useAct();
  const found = useResource(phone, (signal) => call('getConsentHistory', { params: { phone } }, { signal }));
  const load = found.load.value;
  const isOut = load.state === 'loaded' && load.data.current?.status === 'opted_out';
  const optIn = (): Promise<void> =>
    acting.run(async () => {
      await call('putConsent', { params: { phone }, body: { status: 'opted_in' } });
      found.reload();
    });
  return (
    <section class="card stack" aria-labelledby="contact-consent">
      <h2 id="contact-consent">{c.consent}</h2>
      <Loaded of={found}>
        {({ current, history }) => (
          <>
            <p>
              <span data-testid="contact-consent" class={`badge ${current ? (current.status === 'opted_out' ? 'bad' : 'good') : ''}`}>
                {current ? c.of[current.status] : t.noConsent}
              </span>
            </p>
            <ul class="small soft">
              {history.map(({ status, source, at, note }) => (
                <li key={at}>
                  {whenText(at)}: {c.of[status]} {c.sources[source]}
                  {note !== null && ` (${note})`}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {acting.error.value && <Failure error={acting.error.value} />}
      <div class="buttons">
        <button type="button" class="button slim" disabled={acting.isBusy.value} onClick={optIn}>
          {t.optIn}
        </button>
        {!isOut && <OptOut address={phone} testId="contact-opt-out" onDone={found.reload} />}
      </div>
    </section>
  );
}
