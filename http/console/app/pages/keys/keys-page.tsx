import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { copyText } from '../../ui/copy.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Opener } from '../../ui/opener.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { whenText } from '../../words/formats.ts';
import { NewKey } from './new-key.tsx';
import { words } from './words.ts';

const MOST = 200;

export function KeysPage(): JSX.Element {
  const t = words();
  const keys = useResource('keys', (signal) => call('listApiKeys', { query: { limit: MOST } }, { signal }));
  const secret = useSignal<string | null>(null);
  const add = (
    <Opener label={t.add}>
      {(isOpen, close) => (
        <NewKey
          isOpen={isOpen}
          onClose={close}
          onMade={(made) => {
            secret.value = made;
            keys.reload();
          }}
        />
      )}
    </Opener>
  );
  return (
    <Page title={t.title} about={t.about} actions={add}>
      <div class="stack">
        {secret.value !== null && <Secret text={secret.value} />}
        <Loaded of={keys}>
          {({ api_keys: list }) => (
            <Listing of={list} empty={<Empty title={t.none} about={t.noneAbout} />}>
              {(key) => <Row key={key.id} apiKey={key} secret={secret} onChange={keys.reload} />}
            </Listing>
          )}
        </Loaded>
      </div>
    </Page>
  );
}

function Secret({ text }: { readonly text: string }): JSX.Element {
  const t = words();
  const isCopied = useSignal<boolean | null>(null);
  const copy = async (): Promise<void> => {
    isCopied.value = await copyText(text, navigator.clipboard);
  };
  return (
    <div class="notice" role="status">
      <p>
        {t.made} <code class="breaks">{text}</code>
      </p>
      <button type="button" class="button slim" onClick={copy}>
        {isCopied.value === null ? t.copy : isCopied.value ? common().copied : common().notCopied}
      </button>
    </div>
  );
}

interface RowProps {
  readonly apiKey: Schemas['ApiKey'];
  readonly secret: Signal<string | null>;
  readonly onChange: () => void;
}

function Row({ apiKey, secret, onChange }: RowProps): JSX.Element {
  const t = words();
  const { id, name, prefix, scopes, primary, last_used_at, revoked_at } = apiKey;
  const asked = useSignal<'rotate' | 'revoke' | null>(null);
  const acting = useAct();
  const close = (): void => {
    asked.value = null;
  };
  const rotate = (): Promise<void> =>
    acting.run(async () => {
      secret.value = (await call('rotateApiKey', { params: { id } }).finally(close)).key;
      onChange();
    });
  const revoke = (): Promise<void> =>
    acting.run(async () => {
      await call('revokeApiKey', { params: { id } }).finally(close);
      onChange();
    });
  return (
    <li>
      <div class="line">
        <div class="grow">
          <strong class="breaks">{name}</strong>
          <p class="soft small breaks">
            <code>{prefix}…</code> · {scopes.map((scope) => t.scopeNames[scope]).join(', ')} ·{' '}
            {last_used_at === null ? t.unused : t.used(whenText(last_used_at))}
          </p>
        </div>
        {primary && <Badge tone="calm" text={t.primary} />}
        {revoked_at !== null && <Badge tone="bad" text={t.revoked} />}
        {revoked_at === null && (
          <button
            type="button"
            class="button slim"
            aria-haspopup="dialog"
            aria-label={t.rotateOf(name)}
            onClick={() => (asked.value = 'rotate')}
          >
            {t.rotate}
          </button>
        )}
        {revoked_at === null && !primary && (
          <button
            type="button"
            class="button slim"
            aria-haspopup="dialog"
            aria-label={t.revokeOf(name)}
            onClick={() => (asked.value = 'revoke')}
          >
            {t.revoke}
          </button>
        )}
      </div>
      {acting.error.value && <Failure error={acting.error.value} onRetry={acting.again} />}
      <Confirm
        title={t.rotateOf(name)}
        verb={t.rotate}
        isOpen={asked.value === 'rotate'}
        isBusy={acting.isBusy.value}
        onClose={close}
        onConfirm={rotate}
      >
        <p>{t.rotateAsk}</p>
      </Confirm>
      <Confirm
        title={t.revokeOf(name)}
        verb={t.revoke}
        isDangerous
        isOpen={asked.value === 'revoke'}
        isBusy={acting.isBusy.value}
        onClose={close}
        onConfirm={revoke}
      >
        <p>{t.revokeAsk}</p>
      </Confirm>
    </li>
  );
}
