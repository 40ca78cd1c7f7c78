/** Imports only the packages that every gateway needs, to show the lowest possible startup cost. */
import '@hapi/hapi';
import 'joi';
import 'mongodb';
import 'ioredis';
import '@whiskeysockets/baileys';
import * as module from 'node:module';

module.flushCompileCache();
const { user, system } = process.cpuUsage();
process.stdout.write(JSON.stringify({ cpuMs: (user + system) / 1_000, rssMb: process.memoryUsage.rss() / 2 ** 20 }));
process.exit(0);
