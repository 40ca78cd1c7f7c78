import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { words } from './words.ts';

type Asked = Schemas['GetPasskeyStepResponse'];
type Credential = Schemas['LinkingCredentialInput'];

interface PasskeyStepProps {
  readonly sessionId: string;
  readonly step: string;
  readonly onChange: () => void;
}

/** Guides the user to the network's own site, because this page cannot use the required passkey. */
export function PasskeyStep({ sessionId, step, onChange }: PasskeyStepProps): JSX.Element {
  const t = words();
  const asked = useResource(`${sessionId} ${step}`, (signal) => call('getPasskeyStep', { params: { sessionId } }, { signal }));
  return (
    <Loaded of={asked}>
      {({ options, code, ceremony }) => (
        <div class="stack">
          <Way at={code !== null ? 'compare' : options ? 'sign' : 'wait'} />
          {code !== null && <Comparison sessionId={sessionId} code={code} onChange={onChange} />}
          {options && <Signing sessionId={sessionId} options={options} ceremony={ceremony} onChange={onChange} />}
          {code === null && !options && <p role="status">{t.passkeyAwaited}</p>}
        </div>
      )}
    </Loaded>
  );
}

const WAY: readonly { readonly step: 'scan' | 'sign' | 'wait' | 'compare'; readonly icon: IconName }[] = [
  { step: 'scan', icon: 'phone' },
  { step: 'sign', icon: 'key' },
  { step: 'wait', icon: 'clock' },
  { step: 'compare', icon: 'checks' },
];

function Way({ at }: { readonly at: 'sign' | 'wait' | 'compare' }): JSX.Element {
  const t = words();
  return (
    <ol class="way">
      {WAY.map(({ step, icon }) => (
        <li key={step} aria-current={step === at ? 'step' : undefined}>
          <Icon name={icon} />
          <span>{t.passkeyWay[step]}</span>
        </li>
      ))}
    </ol>
  );
}

function Comparison({ sessionId, code, onChange }: Omit<PasskeyStepProps, 'step'> & { readonly code: string }): JSX.Element {
  const t = words();
  const confirming = useAct();
  const confirm = (): Promise<void> =>
    confirming.run(async () => {
      await call('confirmPasskey', { params: { sessionId } });
      onChange();
    });
  return (
    <>
      <h3>{t.passkeyConfirm}</h3>
      <p class="pairing-code">{code}</p>
      {confirming.error.value && <Failure error={confirming.error.value} onRetry={confirm} />}
      <div class="row">
        <button type="button" class="button first" disabled={confirming.isBusy.value} onClick={confirm}>
          {t.same}
        </button>
      </div>
    </>
  );
}

interface SigningProps extends Omit<PasskeyStepProps, 'step'> {
  readonly options: NonNullable<Asked['options']>;
  readonly ceremony: Asked['ceremony'];
}

function Signing({ sessionId, options, ceremony, onChange }: SigningProps): JSX.Element {
  const t = words();
  const pasted = useSignal('');
  const sending = useAct();
  const send = (): Promise<void> =>
    sending.run(async () => {
      await call('answerPasskey', { params: { sessionId }, body: { credential: credentialIn(pasted.value) } });
      onChange();
    });
  return (
    <>
      <h3>{t.passkey}</h3>
      <ol class="steps">
        {t.passkeySteps.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ol>
      {ceremony && (
        <label>
          {t.passkeyLink}
          <input readonly data-testid="passkey-link" value={ceremony.url} onFocus={(event) => event.currentTarget.select()} />
        </label>
      )}
      <details>
        <summary>{t.passkeyByHand}</summary>
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <ol class="steps">
            {t.passkeyByHandSteps.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ol>
          <label>
            {t.passkeyScript}
            <textarea
              readonly
              rows={4}
              data-testid="passkey-script"
              value={scriptFor(options)}
              onFocus={(event) => event.currentTarget.select()}
            />
          </label>
          <label>
            {t.passkeyAnswer}
            <textarea
              required
              rows={4}
              data-testid="passkey-answer"
              value={pasted.value}
              onInput={(event) => {
                pasted.value = event.currentTarget.value;
              }}
            />
          </label>
          {sending.error.value && <Failure error={sending.error.value} onRetry={send} />}
          <button type="submit" class="button" disabled={sending.isBusy.value}>
            {t.passkeySend}
          </button>
        </form>
      </details>
    </>
  );
}

/** The script signs at the next click, because browsers require a user gesture for it. */
const scriptFor = (options: NonNullable<Asked['options']>): string =>
  `onclick = async () => { onclick = null; const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)}); console.log(JSON.stringify((await navigator.credentials.get({ publicKey })).toJSON())); }`;

/** Ignores the quotation marks that a browser may show around the output. */
function credentialIn(text: string): Credential {
  try {
    const found: unknown = JSON.parse(text.trim().replace(/^['"](?=\{)|(?<=\})['"]$/g, ''));
    if (isCredential(found)) return found;
  } catch {}
  throw new ApiError(words().passkeyUnreadable, { code: 'PASSKEY_UNREADABLE' });
}

const isCredential = (found: unknown): found is Credential =>
  typeof found === 'object' && found !== null && 'id' in found && 'type' in found && 'response' in found;
