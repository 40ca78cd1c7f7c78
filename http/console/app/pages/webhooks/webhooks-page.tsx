import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { Deliveries } from './deliveries.tsx';
import { SecretForm, WebhookForm } from './forms.tsx';
import { Signatures } from './signatures.tsx';
import { Tail } from './tail.tsx';
import { words } from './words.ts';

type Webhook = Schemas['Webhook'];
type Webhooks = Resource<Schemas['ListWebhooksResponse']>;

export function WebhooksPage(): JSX.Element {
  const t = words();
  const webhooks = useResource('webhooks', (signal) => call('listWebhooks', {}, { signal }));
  const isMaking = useSignal(false);
  const asked = useSignal(0);
  const load = webhooks.load.value;
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={
        <button type="button" class="button first" data-testid="webhook-new" aria-haspopup="dialog" onClick={() => (isMaking.value = true)}>
          {t.add}
        </button>
      }
    >
      <div class="stack">
        <Loaded of={webhooks}>
          {({ webhooks: all }) => (
            <Listing of={all} empty={<Empty title={t.none} about={t.noneAbout} />}>
              {(one) => <WebhookLine key={one.id} webhook={one} webhooks={webhooks} onAsked={() => (asked.value += 1)} />}
            </Listing>
          )}
        </Loaded>
        {load.state === 'loaded' && <Deliveries webhooks={load.data.webhooks} asked={asked.value} />}
        <Tail />
        <Signatures />
      </div>
      <Dialog title={t.add} isOpen={isMaking.value} onClose={() => (isMaking.value = false)}>
        <WebhookForm
          onDone={() => {
            isMaking.value = false;
            webhooks.reload();
          }}
        />
      </Dialog>
    </Page>
  );
}

interface LineProps {
  readonly webhook: Webhook;
  readonly webhooks: Webhooks;
  readonly onAsked: () => void;
}

function WebhookLine({ webhook, webhooks, onAsked }: LineProps): JSX.Element {
  const t = words();
  const acting = useAct();
  const asking = useSignal<'remove' | 'secret' | null>(null);
  const { id, url, events, disabled_at, error } = webhook;
  const params = { id };
  const change = (work: () => Promise<unknown>): Promise<void> =>
    acting.run(async () => {
      await work();
      asking.value = null;
      webhooks.reload();
      onAsked();
    });
  const close = (): void => {
    asking.value = null;
  };
  return (
    <li>
      <div class="line">
        <span class="grow">
          <strong class="breaks">{url}</strong>
          <span class="soft small" title={events.join(', ')}>
            {' '}
            · {t.eventCount(events.length)}
          </span>
        </span>
        {error && <Badge tone="bad" text={t.secretLost} />}
        {disabled_at === null ? <Badge tone="good" text={t.active} /> : <Badge tone="warn" text={t.paused} />}
        <span class="buttons">
          <button
            type="button"
            class="button slim"
            data-testid="webhook-test"
            disabled={acting.isBusy.value}
            onClick={() => change(() => call('testWebhook', { params }))}
          >
            {t.test}
          </button>
          <button
            type="button"
            class="button slim"
            disabled={acting.isBusy.value}
            onClick={() => change(() => call('updateWebhook', { params, body: { paused: disabled_at === null } }))}
          >
            {disabled_at === null ? t.pause : t.resume}
          </button>
          <button type="button" class="button slim" aria-haspopup="dialog" onClick={() => (asking.value = 'secret')}>
            {t.changeSecret}
          </button>
          <button type="button" class="button slim danger" aria-haspopup="dialog" onClick={() => (asking.value = 'remove')}>
            {t.remove}
          </button>
        </span>
        {acting.error.value && asking.value === null && <Failure error={acting.error.value} />}
      </div>
      <Dialog title={t.changeSecret} isOpen={asking.value === 'secret'} onClose={close}>
        <p>{t.changeSecretAbout}</p>
        <SecretForm acting={acting} onSecret={(secret) => change(() => call('updateWebhook', { params, body: { secret } }))} />
      </Dialog>
      <Confirm
        title={t.remove}
        verb={t.remove}
        isDangerous
        isOpen={asking.value === 'remove'}
        isBusy={acting.isBusy.value}
        onClose={close}
        onConfirm={() => change(() => call('deleteWebhook', { params }))}
      >
        <p class="breaks">{t.removeAsk(url)}</p>
        {acting.error.value && <Failure error={acting.error.value} />}
        <AsCode operation="deleteWebhook" input={{ params }} />
      </Confirm>
    </li>
  );
}
