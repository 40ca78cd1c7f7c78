import type { JSX } from 'preact';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Failure, Loaded } from '../../ui/states.tsx';
import { words } from './words.ts';

interface PasskeyStepProps {
  readonly sessionId: string;
  readonly step: string;
  readonly onChange: () => void;
}

/** Some accounts have a passkey, which the network asks for after the picture or the code. */
export function PasskeyStep({ sessionId, step, onChange }: PasskeyStepProps): JSX.Element {
  const t = words();
  const asked = useResource(`${sessionId} ${step}`, (signal) => call('getPasskeyStep', { params: { sessionId } }, { signal }));
  const acting = useAct();
  const use = (options: PublicKeyCredentialRequestOptionsJSON | null): Promise<void> =>
    acting.run(async () => {
      if (options) await call('answerPasskey', { params: { sessionId }, body: { credential: await assertion(options) } });
      else await call('confirmPasskey', { params: { sessionId } });
      onChange();
    });
  return (
    <Loaded of={asked}>
      {({ options, code }) => (
        <div class="stack">
          <h3>{options ? t.passkey : t.passkeyConfirm}</h3>
          {options ? <p class="soft">{t.passkeyAbout}</p> : <p class="pairing-code">{code}</p>}
          {acting.error.value && <Failure error={acting.error.value} onRetry={() => use(options)} />}
          <div class="row">
            <button type="button" class="button first" disabled={acting.isBusy.value} onClick={() => use(options)}>
              {options ? t.passkeyUse : t.same}
            </button>
          </div>
        </div>
      )}
    </Loaded>
  );
}

/** What the browser answers, as the gateway takes it. Rejects where the person or the browser refuses. */
async function assertion(options: PublicKeyCredentialRequestOptionsJSON) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey }).catch((cause: unknown) => {
    if (!(cause instanceof DOMException) || cause.name !== 'SecurityError') throw cause;
    throw new ApiError(words().passkeyElsewhere(publicKey.rpId ?? ''), { code: 'PASSKEY_OF_ANOTHER_SITE' });
  });
  if (!(credential instanceof PublicKeyCredential) || !(credential.response instanceof AuthenticatorAssertionResponse))
    throw new Error(words().passkeyAbout);
  const { clientDataJSON, authenticatorData, signature, userHandle } = credential.response;
  const response = { clientDataJSON: text(clientDataJSON), authenticatorData: text(authenticatorData), signature: text(signature) };
  return { id: credential.id, type: 'public-key' as const, response: { ...response, userHandle: userHandle && text(userHandle) } };
}

/** Bytes as base64url. */
const text = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
