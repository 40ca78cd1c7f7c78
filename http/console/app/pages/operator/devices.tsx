import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { DeviceBadge } from '../../ui/badge.tsx';
import { Choice } from '../../ui/choice.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Pager, placeIn } from '../../ui/pager.tsx';
import { Loaded } from '../../ui/states.tsx';
import { phoneText } from '../../words/phone.ts';
import { words } from './words.ts';

type Placed = Schemas['PlacedSession'];

const LOOK_MS = 5_000;

export function Devices({ query }: { readonly query: Readonly<Record<string, string>> }): JSX.Element {
  const t = words();
  const place = placeIn(query);
  const devices = useResource(JSON.stringify(place), (signal) => call('listAllSessions', { query: place }, { signal }));
  useEffect(() => {
    const timer = setInterval(() => document.hidden || devices.reload(), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <section class="stack">
      <h2>{t.devices}</h2>
      <Loaded of={devices}>
        {({ sessions, ...next }) => (
          <>
            <Listing of={sessions} empty={<p class="soft">{t.noDevices}</p>}>
              {(one) => <Row key={one.id} device={one} onChange={devices.reload} />}
            </Listing>
            <Pager path="/operator/cluster" query={{}} place={place} next={next} />
          </>
        )}
      </Loaded>
    </section>
  );
}

interface RowProps {
  readonly device: Placed;
  readonly onChange: () => void;
}

function Row({ device, onChange }: RowProps): JSX.Element {
  const t = words();
  const { id, name, phone_display, phone_number, status, reason, node, pinned_node } = device;
  const [isOpen, moved] = [useSignal(false), useSignal<Schemas['Move'] | null>(null)];
  const title = name ?? phone_display ?? id;
  return (
    <li data-testid="placed-device" data-device-id={id} data-node={node ?? ''}>
      <div class="line">
        <div class="grow">
          <strong class="breaks">{title}</strong>
          <p class="soft small breaks">
            {name !== null && phone_number !== null && <bdi class="tel">{phoneText(phone_number)} · </bdi>}
            {node === null ? t.runsNowhere : t.runsOn(node)}
            {pinned_node !== null && `, ${t.pinnedTo(pinned_node)}`}
          </p>
        </div>
        <DeviceBadge status={status} reason={reason} />
        <button
          type="button"
          class="button slim"
          data-testid="device-move"
          aria-haspopup="dialog"
          aria-label={t.moveOf(title)}
          disabled={node === null}
          onClick={() => (isOpen.value = true)}
        >
          {t.move}
        </button>
      </div>
      <p role="status" class="small soft">
        {moved.value && t.movedTo(moved.value.from, moved.value.to)}
      </p>
      <MoveForm
        key={String(isOpen.value)}
        title={t.moveOf(title)}
        id={id}
        isOpen={isOpen.value}
        onClose={() => (isOpen.value = false)}
        onMoved={(move) => {
          isOpen.value = false;
          moved.value = move;
          onChange();
        }}
      />
    </li>
  );
}

interface MoveFormProps {
  readonly title: string;
  readonly id: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onMoved: (move: Schemas['Move']) => void;
}

function MoveForm({ title, id, isOpen, onClose, onMoved }: MoveFormProps): JSX.Element {
  const t = words();
  const [node, moving] = [useSignal(''), useAct()];
  const input = { params: { id }, body: { node: node.value === '' ? null : node.value } };
  const move = (): Promise<void> => moving.run(async () => onMoved(await call('moveSession', input)));
  return (
    <FormDialog
      title={title}
      verb={t.move}
      isOpen={isOpen}
      onClose={onClose}
      save={move}
      code={<AsCode operation="moveSession" input={input} />}
    >
      <NodeChoice value={node.value} onValue={(chosen) => (node.value = chosen)} />
    </FormDialog>
  );
}

function NodeChoice({ value, onValue }: { readonly value: string; readonly onValue: (node: string) => void }): JSX.Element {
  const t = words();
  const nodes = useResource('nodes', (signal) => call('listNodes', {}, { signal }));
  return (
    <Loaded of={nodes}>
      {({ nodes: list }) => (
        <Choice
          label={t.to}
          hint={t.moveAbout}
          value={value}
          options={[['', t.mostRoom], ...list.filter(({ state }) => state === 'active').map((one) => [one.id, one.id] as const)]}
          onValue={onValue}
        />
      )}
    </Loaded>
  );
}
