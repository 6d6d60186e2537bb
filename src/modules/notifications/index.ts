/** Notifications, polled. Events become notifications when they are numbered (platform/outbox). */
import { defineModule, type ModuleDef } from '../../kernel/route.ts';
import { notificationRoutes } from './routes.ts';

/** @param modules all areas: their events say which of them are notifications */
export const createNotificationsModule = (modules: () => readonly ModuleDef[]): ModuleDef =>
  defineModule({
    name: 'notifications',
    base: '/notifications',
    title: 'Notifications',
    summary: 'Seller notifications, polled',
    availability: 'available',
    ids: ['ntf_'],
    routes: notificationRoutes(modules),
  });
