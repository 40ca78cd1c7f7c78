import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { nameOfDevice } from '../../ui/device-choice.tsx';
import { EditableRow } from '../../ui/editable-row.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Opener } from '../../ui/opener.tsx';
import { Pager, placeIn } from '../../ui/pager.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { RotatorForm } from './rotator-form.tsx';
import { SendOver } from './send-over.tsx';
import { words } from './words.ts';

type Device = Schemas['Session'];
type Rotator = Schemas['Rotator'];

interface RotatorsProps {
  readonly devices: readonly Device[];
  readonly query: Readonly<Record<string, string>>;
}

export function Rotators({ devices, query }: RotatorsProps): JSX.Element {
  const t = words();
  const place = placeIn(query);
  const list = useResource(JSON.stringify(place), (signal) => call('listRotators', { query: place }, { signal }));
  return (
    <>
      <div class="toolbar">
        <Opener label={t.newRotator}>
          {(isOpen, close) => <RotatorForm devices={devices} rotator={null} isOpen={isOpen} onClose={close} onSaved={list.reload} />}
        </Opener>
      </div>
      <Loaded of={list}>
        {({ rotators, ...next }) => (
          <>
            <Listing of={rotators} empty={<Empty title={t.noneRotators} about={t.noneRotatorsAbout} />}>
              {(one) => <Row key={one.id} rotator={one} devices={devices} onChange={list.reload} />}
            </Listing>
            <Pager path="/later" query={{ part: 'rotators' }} place={place} next={next} />
          </>
        )}
      </Loaded>
    </>
  );
}

interface RowProps {
  readonly rotator: Rotator;
  readonly devices: readonly Device[];
  readonly onChange: () => void;
}

function Row({ rotator, devices, onChange }: RowProps): JSX.Element {
  const t = words();
  const { id, name, session_ids, strategy } = rotator;
  const acting = useAct();
  const nameOf = (sessionId: string): string => {
    const device = devices.find((one) => one.id === sessionId);
    return device ? nameOfDevice(device) : t.gone;
  };
  return (
    <EditableRow
      testId="rotator-row"
      below={<SendOver rotatorId={id} nameOf={nameOf} />}
      edit={{
        label: t.editOf(name),
        form: (isOpen, close) => <RotatorForm devices={devices} rotator={rotator} isOpen={isOpen} onClose={close} onSaved={onChange} />,
      }}
      remove={{ label: t.removeOf(name), ask: t.removeRotatorAsk, run: () => call('deleteRotator', { params: { id } }) }}
      act={acting}
      onChange={onChange}
    >
      <div class="grow">
        <strong class="breaks">{name}</strong>
        <p class="small breaks">{session_ids.map(nameOf).join(' → ')}</p>
        <p class="soft small">{t.strategies[strategy]}</p>
      </div>
    </EditableRow>
  );
}
