import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { copyText } from '../../ui/copy.ts';
import { nameOfDevice } from '../../ui/device-choice.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Opener } from '../../ui/opener.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { StoreForm } from './store-form.tsx';
import { StoreRow } from './store-row.tsx';
import { words } from './words.ts';

interface Told {
  readonly name: string;
  readonly secret: string;
}

export function StoresPage(): JSX.Element {
  const t = words();
  const loaded = useResource('stores', async (signal) => {
    const [stores, { sessions }] = await Promise.all([call('listStores', {}, { signal }), call('listSessions', {}, { signal })]);
    return { ...stores, devices: sessions };
  });
  const told = useSignal<Told | null>(null);
  const load = loaded.load.value;
  const devices = load.state === 'loaded' ? optionsOf(load.data.devices, t.noDevice) : [];
  const connected = ({ integration, secret }: Schemas['ConnectStoreResponse']): void => {
    told.value = secret === undefined ? null : { name: integration.name, secret };
    loaded.reload();
  };
  const add = (
    <Opener label={t.add}>
      {(isOpen, close) => <StoreForm store={null} devices={devices} isOpen={isOpen} onClose={close} onSaved={connected} />}
    </Opener>
  );
  return (
    <Page title={t.title} about={t.about} actions={add}>
      <div class="stack">
        {told.value && <Secret told={told.value} />}
        <Loaded of={loaded}>
          {({ items, events }) => (
            <Listing of={items} empty={<Empty title={t.none} about={t.noneAbout} />}>
              {(store) => <StoreRow key={store.id} store={store} devices={devices} topics={events} onChange={loaded.reload} />}
            </Listing>
          )}
        </Loaded>
      </div>
    </Page>
  );
}

const optionsOf = (devices: readonly Schemas['Session'][], none: string): readonly (readonly [string, string])[] => [
  ['', none],
  ...devices.map((device) => [device.id, nameOfDevice(device)] as const),
];

function Secret({ told: { name, secret } }: { readonly told: Told }): JSX.Element {
  const t = words();
  const isCopied = useSignal<boolean | null>(null);
  const copy = async (): Promise<void> => {
    isCopied.value = await copyText(secret, navigator.clipboard);
  };
  return (
    <div class="notice" role="status">
      <p class="breaks">
        {t.made(name)} <code>{secret}</code>
      </p>
      <button type="button" class="button slim" onClick={copy}>
        {isCopied.value === null ? t.copySecret : isCopied.value ? common().copied : common().notCopied}
      </button>
    </div>
  );
}
