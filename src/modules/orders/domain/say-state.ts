/** What a state does not allow, as the end of a sentence; of the events that a request can ask for. */
const CANNOT: Readonly<Record<string, string>> = {
  accept: 'be accepted',
  reject: 'be rejected',
  refuse: 'be refused',
  cancel: 'be cancelled',
  pack: 'get a shipment',
  buy_label: 'get a label',
  void_label: 'have its label voided',
  dispatch: 'be dispatched',
  change_tracking: 'get another tracking number',
  request_refund: 'be refunded',
  receive: 'be received',
  inspect: 'be inspected',
};

/** The refusal of an event by a state: "The order is delivered; it cannot be accepted." */
export function sayState(thing: 'order' | 'shipment' | 'return', status: string, event: string): string {
  const state = status.replaceAll('_', ' ');
  const what = Object.hasOwn(CANNOT, event) ? CANNOT[event] : undefined;
  if (what === undefined) return `The ${thing} is ${state}; its state does not allow this.`;
  return `The ${thing} is ${state}; it cannot ${what}${what.endsWith(` ${state}`) ? ' again' : ''}.`;
}
