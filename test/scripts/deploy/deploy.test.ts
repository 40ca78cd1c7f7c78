import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { LOG_EVENTS } from '../../../actors/domain/log-events.ts';
import { DRAIN_ORDER } from '../../../actors/drain-order.ts';
import { USAGE } from '../../../scripts/commands/cluster/orders.ts';
import { CAMPAIGNS } from '../../../scripts/commands/shell/campaigns.ts';
import { MESSAGES } from '../../../scripts/commands/shell/messages.ts';
import { WHY } from '../../../scripts/commands/shell/why.ts';
import { VARIABLES } from '../../../scripts/wiring/config.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const DEPLOY = join(ROOT, 'scripts/deploy');
const read = (name: string): string => readFileSync(join(DEPLOY, name), 'utf8');

const has = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
/** Why a test is left out, which is printed too; CI installs the command. */
function without(command: string, from: string): string | false {
  if (has(command)) return false;
  console.log(`${command} is not installed (${from}): its test is left out.`);
  return `${command} is not installed`;
}

function succeeds(command: string, args: readonly string[], cwd = DEPLOY): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, `${error ?? ''}${stdout}${stderr}`);
  return stdout + stderr;
}

describe('monitoring', () => {
  const page = readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8');
  const catalogue = new Map(
    [...page.matchAll(/^\| `(\w+)` +\| (counter|gauge|histogram) +\|/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  /** Of the process: what the page names, and others of the library. */
  const OF_PROCESS =
    /^(process_(cpu_seconds_total|resident_memory_bytes)|nodejs_(eventloop_lag_(p99|max)_seconds|gc_duration_seconds_sum|heap_size_used_bytes)|up)$/;
  const values = new Map(
    [...page.matchAll(/^\| `(\w+)` +\| ([^|]+)\|$/gm)].map(([, label = '', of = '']) => [
      label,
      [...of.matchAll(/`([\w-]+)`/g)].map(([, one]) => one),
    ]),
  );

  /** What is wrong with a query: names of metrics and values of labels that do not exist. */
  function wrongIn(query: string): readonly string[] {
    const bare = query.replace(/"[^"]*"/g, '""').replace(/\b(by|without|on) *\([^)]*\)/g, '');
    const names = [...bare.matchAll(/(?<![\w$])([a-z][a-z0-9_]*_[a-z0-9_]+|up)(?![\w(])/g)].map(([name]) => name);
    const exists = (name: string): boolean => {
      const [, base = '', part] = /^(\w+?)(?:_(bucket|sum|count))?$/.exec(name) ?? [];
      return OF_PROCESS.test(name) || catalogue.has(name) || (part !== undefined && catalogue.get(base) === 'histogram');
    };
    const labels = [...query.matchAll(/(\w+)(?:=~|!~|!=|=)"([^"]*)"/g)].flatMap(([, label = '', pattern = '']) =>
      values.has(label) && !['code', 'status'].includes(label) ? pattern.split('|').filter((one) => !values.get(label)?.includes(one)) : [],
    );
    return [...names.filter((name) => !['histogram_quantile', '__rate_interval'].includes(name) && !exists(name)), ...labels];
  }

  it('queries only known metrics and labels', () => {
    assert.deepEqual(wrongIn('sum by (lane) (rate(gateway_queue_messages{lane="reply"}[5m]))'), []);
    assert.deepEqual(wrongIn('sum(gateway_made_up_total{lane="fast"}) / up{job="gateway"}'), ['gateway_made_up_total', 'fast']);
    assert.deepEqual(wrongIn('gateway_leases_bucket'), ['gateway_leases_bucket']);
  });

  const alerts = parse(read('prometheus/alerts.yml')).groups.flatMap(({ rules }: { rules: readonly object[] }) => rules) as readonly {
    readonly alert: string;
    readonly expr: string;
    readonly labels: { readonly severity: string };
    readonly annotations: { readonly summary: string; readonly action: string; readonly runbook: string };
  }[];

  it('uses every metric in alerts and panels, and only metrics that are served', () => {
    const { panels } = JSON.parse(read('grafana/dashboard.json')) as {
      panels: readonly { title: string; targets?: readonly { expr: string }[] }[];
    };
    const drawn = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ of: title, expr })));
    const queries = [...drawn, ...alerts.map(({ alert, expr }) => ({ of: alert, expr }))];
    assert.deepEqual(
      queries.flatMap(({ of, expr }) => wrongIn(expr).map((wrong) => `${of}: ${wrong}`)),
      [],
    );
    assert.ok(drawn.length > 30 && alerts.length > 12);
    const asked = queries.map(({ expr }) => expr).join('\n');
    assert.deepEqual(
      [...catalogue.keys()].filter((name) => !asked.includes(name)),
      [],
    );
  });

  it('documents an action for each alert, and tests it both firing and silent', () => {
    for (const { alert, labels, annotations } of alerts) {
      assert.match(labels.severity, /^(page|ticket)$/, alert);
      assert.ok(annotations.summary && annotations.action, alert);
    }
    const { tests } = parse(read('prometheus/alerts.test.yml')) as {
      tests: readonly { alert_rule_test: readonly { alertname: string; exp_alerts: readonly object[] }[] }[];
    };
    const cases = tests.flatMap((one) => one.alert_rule_test);
    const names = (fires: boolean) =>
      cases
        .filter(({ exp_alerts }) => exp_alerts.length > 0 === fires)
        .map(({ alertname }) => alertname)
        .sort();
    const all = alerts.map(({ alert }) => alert).sort();
    assert.deepEqual([names(true), names(false)], [all, all]);
  });

  it('fires each alert under its test conditions', { skip: without('promtool', 'Debian: apt-get install prometheus') }, () => {
    succeeds('promtool', ['check', 'config', 'prometheus/prometheus.yml']);
    succeeds('promtool', ['test', 'rules', 'prometheus/alerts.test.yml']);
  });

  describe('the runbook', () => {
    const index = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');
    const listed = [...index.matchAll(/^\| \[(\w+)\]\((runbook-\w+\.md#\w+)\) +\| (\w+) +\|/gm)].map(([, ...cells]) => cells);
    const pages = [...new Set(listed.map(([, link = '']) => link.split('#')[0] ?? ''))];
    const texts = pages.map((page) => readFileSync(join(ROOT, 'docs', page), 'utf8'));
    const runbook = [index, ...texts].join('\n');
    const bySeverity = ['page', 'ticket'].flatMap((severity) => alerts.filter(({ labels }) => labels.severity === severity));
    const sections = texts.flatMap((text) => text.split(/^## /m).slice(1));
    const titleOf = (section: string): string => section.slice(0, section.indexOf('\n'));
    const blocks = (language: string): readonly string[] =>
      [...runbook.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block);
    const queries = blocks('promql').flatMap((block) => block.trim().split('\n'));

    it('has one section per alert, and lists the paging alerts first in a table', () => {
      const inPages = pages.flatMap((page, nth) =>
        (texts[nth] ?? '')
          .split(/^## /m)
          .slice(1)
          .map((section) => [titleOf(section), `${page}#${titleOf(section).toLowerCase()}`]),
      );
      assert.deepEqual(
        listed,
        bySeverity.map(({ alert, labels, annotations }) => [alert, annotations.runbook.replace('docs/', ''), labels.severity]),
      );
      assert.deepEqual(inPages.toSorted(), listed.map(([alert, link]) => [alert, link]).toSorted());
    });

    it('states the symptom, the meaning, the steps and the person to wake for each alert', () => {
      for (const section of sections) {
        const parts = [...section.matchAll(/^\*\*(\w+:|Escalate\?)\*\*(?= ?(\w*))/gm)];
        const { alert, labels } = alerts.find((one) => one.alert === titleOf(section)) ?? assert.fail(section);
        assert.deepEqual(
          parts.map(([, name]) => name),
          ['Symptom:', 'Meaning:', 'Do:', 'Escalate?'],
          alert,
        );
        assert.equal(parts.at(-1)?.[2]?.toLowerCase(), labels.severity, alert);
      }
    });

    it('mentions only existing metrics, log events, endpoints and commands', () => {
      assert.deepEqual(queries.flatMap(wrongIn), []);
      assert.ok(queries.length > 50);
      const shell = blocks('sh').join('');
      const named = [...runbook.matchAll(/`([a-z_]+\.[a-z_]+)`/g), ...shell.matchAll(/^event ([\w.]+)/gm)].map(([, name = '']) => name);
      assert.deepEqual(
        named.filter((name) => !Object.hasOwn(LOG_EVENTS, name) && !name.endsWith('.log')),
        [],
      );
      const api = readFileSync(join(ROOT, 'http/openapi/client/gateway.generated.ts'), 'utf8');
      for (const [, path = '', rest = ''] of shell.matchAll(/^admin "?([\w/-]+)(.*)$/gm)) {
        const method = /-X (\w+)/.exec(rest)?.[1] ?? (rest.includes('--json') ? 'POST' : 'GET');
        assert.ok(api.includes(`['${method}', '/v1/admin/${path.replace('TENANT', '{id}')}']`), `${method} ${path}`);
      }
      const commands = [
        ...[...CAMPAIGNS, ...MESSAGES, ...WHY].map(({ name }) => name),
        ...[...USAGE.matchAll(/^ {2}([\w-]+) /gm)].map(([, order]) => `cluster ${order}`),
      ];
      for (const [, first, second] of runbook.matchAll(/npx gateway ([\w-]+) ([\w-]+)/g))
        assert.ok(
          [first, `${first} ${second}`].some((name) => commands.includes(name ?? '')),
          `${first} ${second}`,
        );
      const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
      for (const [, script = ''] of runbook.matchAll(/npm run ([\w:]+)/g)) assert.ok(Object.hasOwn(scripts, script), script);
    });

    it('contains only queries that Prometheus can parse', { skip: without('promtool', 'Debian: apt-get install prometheus') }, () => {
      const directory = mkdtempSync(join(tmpdir(), 'runbook-'));
      try {
        const file = join(directory, 'rules.json');
        const rules = queries.map((expr, nth) => ({ record: `runbook:query:${nth}`, expr }));
        writeFileSync(file, JSON.stringify({ groups: [{ name: 'runbook', rules }] }));
        succeeds('promtool', ['check', 'rules', file]);
      } finally {
        rmSync(directory, { recursive: true });
      }
    });
  });
});

const PINNED = /:\d[\w.-]*@sha256:[0-9a-f]{64}$/;

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly depends_on?: Readonly<Record<string, object>>;
  readonly healthcheck?: object;
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
}

/** A node that leaves gives each kind of its actors 10 s, and what is under way then 4 s to close; at its end all has 5 s. */
const LONGEST_STOP_S = Object.keys(DRAIN_ORDER).length * (10 + 4) + 5;

describe('containers', () => {
  for (const [file, nodes] of [
    ['one-node.compose.yaml', 1],
    ['three-nodes.compose.yaml', 3],
  ] as const) {
    const text = read(file);
    const { services, volumes } = parse(text, { merge: true }) as { services: Readonly<Record<string, Service>>; volumes: object };
    const ours = Object.entries(services).filter(([name]) => name.startsWith('node'));

    it(`have valid settings, database passwords and minimal privileges in ${file}`, () => {
      assert.equal(ours.length, nodes);
      for (const [name, { environment = {}, read_only, cap_drop, healthcheck }] of ours) {
        assert.deepEqual(
          Object.keys(environment).filter((key) => !VARIABLES.includes(key)),
          [],
          name,
        );
        assert.deepEqual([read_only, cap_drop, healthcheck !== undefined], [true, ['ALL'], true], name);
        assert.match(environment['MONGODB_URL'] ?? '', /^mongodb:\/\/gateway:\$\{MONGODB_PASSWORD:\?/);
        if (nodes > 1) assert.match(environment['REDIS_URL'] ?? '', /^redis:\/\/:\$\{REDIS_PASSWORD:\?/);
        for (const key of ['ADMIN_SECRET', 'JWT_SECRET', 'SECRETS_KEY'])
          assert.match(environment[key] ?? '', /^\$\{\w+:\?/, `${name} ${key}`);
      }
    });

    it(`give a node time to stop before it is killed in ${file}`, () => {
      for (const [name, { stop_grace_period = '10s' }] of ours) assert.ok(Number.parseInt(stop_grace_period, 10) >= LONGEST_STOP_S, name);
    });

    it(`require every secret in ${file}, and the example file lists all secrets`, () => {
      const taken = [...text.matchAll(/\$\{(\w+)(:\?|:-)?([^}]*)\}/g)];
      const bare = taken.filter(([, name = '', how]) => /SECRET|PASSWORD|KEY/.test(name) && how !== ':?').map(([whole]) => whole);
      assert.deepEqual(bare, [], 'a secret that may be left out');
      const said = read('env.example');
      assert.deepEqual(
        taken.filter(([, name]) => name !== 'NETWORK' && !new RegExp(`^${name}=`, 'm').test(said)).map(([, name]) => name),
        [],
      );
      assert.deepEqual([...said.matchAll(/^\w*(?:SECRET|PASSWORD|KEY)\w*=(.+)$/gm)], [], 'the example has no secrets');
    });

    it(`publish ports only on the loopback address in ${file}`, () => {
      for (const [name, { ports = [], image, volumes: own = [] }] of Object.entries(services)) {
        assert.deepEqual(
          ports.filter((port) => !port.startsWith('127.0.0.1:')),
          [],
          name,
        );
        assert.equal(ports.length > 0 && !/gateway/.test(image), false, `${name} is not published`);
        for (const volume of own) assert.ok(Object.hasOwn(volumes, volume.split(':')[0] ?? ''), volume);
      }
    });

    it(`use third-party images that are pinned by digest in ${file}`, () => {
      for (const { image } of Object.values(services)) if (!image.startsWith('messaging-gateway')) assert.match(image, PINNED);
    });

    it(`refer only to existing files and services in ${file}`, () => {
      for (const { build, depends_on = {} } of Object.values(services)) {
        if (build) assert.ok(existsSync(join(DEPLOY, build.context, build.dockerfile)), build.dockerfile);
        for (const other of Object.keys(depends_on)) assert.ok(services[other]?.healthcheck, `${other} has a health check`);
      }
      assert.match(services['mongodb']?.environment?.['MONGO_INITDB_ROOT_PASSWORD'] ?? '', /^\$\{MONGODB_PASSWORD:\?/);
    });
  }

  it('have images that contain only existing files, run as an unprivileged user, and have no shell', () => {
    const steps = [
      ...read('Dockerfile')
        .replaceAll(/\s*\\\n\s*/g, ' ')
        .matchAll(/^([A-Z]+) (.+)$/gm),
    ].map(([, step = '', rest = '']) => ({ step, rest }));
    const copied = steps.filter(({ step }) => step === 'COPY').flatMap(({ rest }) => rest.split(' ').slice(0, -1));
    const kept = read('Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    for (const path of copied) {
      assert.ok(existsSync(join(ROOT, path)), path);
      assert.ok(
        kept.some((one) => path === one || path.startsWith(`${one}/`)),
        `${path} is sent to Docker`,
      );
    }
    assert.match(steps[0]?.rest ?? '', PINNED);
    const at = (name: string) => steps.findIndex(({ step }) => step === name);
    assert.equal(steps[at('USER')]?.rest, '65534:65534');
    assert.ok(at('USER') > steps.findLastIndex(({ step }) => step === 'RUN'), 'nothing is done as root after it');
    const command: readonly string[] = JSON.parse(steps[at('CMD')]?.rest ?? '');
    assert.deepEqual(command, ['node', '--max-semi-space-size=6', 'scripts/commands/run.js', 'start']);
    const built = steps.findIndex(({ rest }) => rest === 'node scripts/commands/run.js build');
    assert.ok(built > steps.findLastIndex(({ step }) => step === 'COPY'), 'the image builds what it starts, of all that it copies');
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    assert.equal(`>=${/node:(\d+)/.exec(steps[0]?.rest ?? '')?.[1]}`, engines.node);
  });
});

it('the systemd unit is valid and has few privileges', { skip: without('systemd-analyze', 'Debian: apt-get install systemd') }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'unit-'));
  try {
    const file = join(directory, 'gateway.service');
    writeFileSync(file, read('gateway.service').replaceAll('/opt/gateway', ROOT));
    assert.equal(succeeds('systemd-analyze', ['verify', file]).trim(), '');
    const said = succeeds('systemd-analyze', ['security', '--offline=yes', '--threshold=20', file]);
    assert.match(said, /Overall exposure level .* [01]\.\d/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

it('the systemd unit gives a node time to leave before it is killed', () => {
  assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(read('gateway.service'))?.[1]) >= LONGEST_STOP_S);
});

it('the systemd unit continues to restart the node while MongoDB or Redis is unavailable', () => {
  const settings = new Map(
    read('gateway.service')
      .split('\n')
      .map((line) => line.split('=', 2) as [string, string]),
  );
  assert.equal(settings.get('Restart'), 'on-failure');
  assert.equal(settings.get('StartLimitIntervalSec'), '0', 'no number of starts is the last');
  assert.ok(Number(settings.get('RestartSec')) >= 5, 'it does not keep the machine busy meanwhile');
});
