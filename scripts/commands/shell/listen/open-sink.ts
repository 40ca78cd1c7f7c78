import type { Kind } from './address.ts';
import type { OpenSink } from './sink.ts';

const OPENERS: Readonly<Record<Kind, () => Promise<OpenSink>>> = {
  http: async () => (await import('./sinks/http.ts')).openHttp,
  amqp: async () => (await import('./sinks/amqp.ts')).openAmqp,
  redis: async () => (await import('./sinks/redis.ts')).openRedis,
  nats: async () => (await import('./sinks/nats.ts')).openNats,
  mqtt: async () => (await import('./sinks/mqtt.ts')).openMqtt,
  kafka: async () => (await import('./sinks/kafka.ts')).openKafka,
};

export const openSink: OpenSink = async (address, identity) => (await OPENERS[address.kind]())(address, identity);
