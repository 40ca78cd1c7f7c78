import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call, type Input } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Loaded } from '../../ui/states.tsx';
import { figureText } from './tiles.tsx';
import { words } from './words.ts';

export const RANGES = ['7', '30', '90'] as const;
export type Range = (typeof RANGES)[number];
export const DAYS = { 7: 7, 30: 30, 90: 90 } as const;

export const COMPARED = ['devices', 'agents', 'blasts'] as const;
export type Compared = (typeof COMPARED)[number];

async function compared(by: Compared, days: Range, signal: AbortSignal): Promise<readonly Schemas['AnalyticsItem'][]> {
  const input = { query: { days: DAYS[days] } };
  switch (by) {
    case 'devices':
      return comparedDevices(input, signal);
    case 'agents':
      return (await call('getAnalyticsAgents', input, { signal })).agents;
    case 'blasts':
      return (await call('getAnalyticsBlasts', input, { signal })).blasts;
  }
}

async function comparedDevices(input: Input<'getAnalyticsDevices'>, signal: AbortSignal): Promise<readonly Schemas['AnalyticsItem'][]> {
  const [{ devices }, { sessions }] = await Promise.all([
    call('getAnalyticsDevices', input, { signal }),
    call('listSessions', {}, { signal }),
  ]);
  const numbers = new Map(sessions.map(({ id, phone_display }) => [id, phone_display]));
  return devices.map((device) => ({ ...device, name: device.name ?? numbers.get(device.id) ?? null }));
}

const COLUMNS = [
  'sent',
  'received',
  'active_chats',
  'delivery_rate',
  'read_rate',
  'reply_rate',
  'median_first_reply_ms',
  'failed',
  'opt_outs',
] as const;

export function Comparison({ days, by }: { readonly days: Range; readonly by: Compared }): JSX.Element {
  const t = words();
  const items = useResource(`${by} ${days}`, (signal) => compared(by, days, signal));
  return (
    <Loaded of={items}>
      {(list) =>
        list.length === 0 ? (
          <p class="soft">{t.nothing}</p>
        ) : (
          <section class="table-box" tabIndex={0} aria-label={t.by[by]}>
            <table class="number-table">
              <thead>
                <tr>
                  <th scope="col">{t.name}</th>
                  {COLUMNS.map((name) => (
                    <th key={name} scope="col">
                      {t.figures[name]}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {list.map((item) => (
                  <tr key={item.id}>
                    <th scope="row" class="breaks">
                      <bdi>{item.name || item.id}</bdi>
                    </th>
                    {COLUMNS.map((name) => (
                      <td key={name}>{figureText(name, item[name])}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )
      }
    </Loaded>
  );
}
