import { Gauge, Registry } from 'prom-client';
import type { ActorServices } from './actors.ts';
import type { AuditHeads } from './audit.ts';

/** What the actors tell Prometheus, counted when asked. */
export function metricsOf({ actors, loginRateLimiter }: ActorServices, auditHeads: AuditHeads): Registry {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'gateway_actors_awake',
    help: 'Actors awake, by kind',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const [kind, count] of actors.census().awake) this.set({ kind }, count);
    },
  });
  new Gauge({
    name: 'gateway_mailbox_messages',
    help: 'Messages waiting in all mailboxes',
    registers,
    collect() {
      this.set(actors.census().waiting);
    },
  });
  new Gauge({
    name: 'gateway_mailbox_deepest',
    help: 'Messages waiting in the fullest mailbox',
    registers,
    collect() {
      this.set(actors.census().deepest);
    },
  });
  new Gauge({
    name: 'gateway_logins_waiting',
    help: 'Devices waiting for their turn to log in',
    registers,
    collect() {
      this.set(loginRateLimiter.depth);
    },
  });
  new Gauge({
    name: 'gateway_audit_head',
    help: 'Number of the last entry of an audit log when its head was published, once a day. It never falls',
    labelNames: ['tenant'],
    registers,
    collect() {
      for (const { tenant, seq } of auditHeads.values()) this.set({ tenant }, seq);
    },
  });
  return registry;
}
