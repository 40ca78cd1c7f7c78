import type { ComponentChildren, JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import type { RouteProps } from '../../guard.tsx';
import { addressWith } from '../../ui/address.ts';
import { DeviceChoice, deviceOf } from '../../ui/device-choice.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { RecurringMessages } from './recurring.tsx';
import { Rotators } from './rotators.tsx';
import { ScheduledMessages } from './scheduled.tsx';
import { words } from './words.ts';

const PARTS = ['scheduled', 'recurring', 'rotators'] as const;

export function LaterPage({ query = {} }: RouteProps): JSX.Element {
  const t = words();
  const { part = 'scheduled', ...filter } = query;
  const devices = useResource('devices', (signal) => call('listSessions', {}, { signal }));
  return (
    <Page title={t.title} about={t.about}>
      <div class="stack">
        <Tabs
          label={t.kinds}
          current={part}
          tabs={PARTS.map((one) => [one, t.parts[one], addressWith('/later', { part: one, session_id: filter['session_id'] })] as const)}
        />
        <Loaded of={devices}>
          {({ sessions }) =>
            sessions.length === 0 ? (
              <Empty title={t.noDevices} about={t.noDevicesAbout} />
            ) : part === 'rotators' ? (
              <Rotators devices={sessions} query={filter} />
            ) : (
              <OfDevice part={part} devices={sessions} chosen={filter['session_id']}>
                {(sessionId, choice) =>
                  part === 'recurring' ? (
                    <RecurringMessages key={sessionId} sessionId={sessionId} query={filter}>
                      {choice}
                    </RecurringMessages>
                  ) : (
                    <ScheduledMessages key={sessionId} sessionId={sessionId} query={filter}>
                      {choice}
                    </ScheduledMessages>
                  )
                }
              </OfDevice>
            )
          }
        </Loaded>
      </div>
    </Page>
  );
}

interface OfDeviceProps {
  readonly part: string;
  readonly devices: readonly Schemas['Session'][];
  readonly chosen: string | undefined;
  readonly children: (sessionId: string, choice: ComponentChildren) => JSX.Element;
}

function OfDevice({ part, devices, chosen, children }: OfDeviceProps): JSX.Element {
  const { route } = useLocation();
  const id = deviceOf(devices, chosen)?.id ?? '';
  return children(
    id,
    devices.length > 1 && (
      <DeviceChoice devices={devices} chosen={id} onDevice={(session_id) => route(addressWith('/later', { part, session_id }))} />
    ),
  );
}
