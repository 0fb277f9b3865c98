import type { Entrant, Leave, Places } from '../../services/script-places.ts';

/** How many there may be. */
export interface PlaceLimits {
  readonly inAll: number;
  readonly inInstance: number;
  readonly waitingInAll: number;
  readonly waitingInInstance: number;
}

type Waiter = (answer: 'taken' | 'late') => void;

/** What goes on in an instance; there is none where nothing does. */
interface Place {
  running: number;
  readonly awaited: Set<Waiter>;
  readonly others: Set<Waiter>;
}

/** Opens places, all free. Instances take turns. */
export function openPlaces(limits: PlaceLimits): Places {
  const places = new Map<number, Place>(); // whose turn is next comes first
  let free = limits.inAll;
  let waiting = 0;

  const placeOf = (instance: number): Place => {
    const place = places.get(instance) ?? { running: 0, awaited: new Set(), others: new Set() };
    places.set(instance, place);
    return place;
  };
  const forgetIdle = (instance: number, place: Place) => {
    if (place.running === 0 && waitingIn(place) === 0) places.delete(instance);
  };
  function mayEnter({ running }: Place): boolean {
    return free > 0 && running < limits.inInstance;
  }

  function take(instance: number, place: Place): Leave {
    free -= 1;
    place.running += 1;
    places.delete(instance);
    places.set(instance, place); // to the end: the next turn is another instance's
    return () => leave(instance, place);
  }

  function leave(instance: number, place: Place): void {
    place.running -= 1;
    free += 1;
    const next = [...places.values()].find((each) => mayEnter(each) && waitingIn(each) > 0);
    const [waiter] = next === undefined ? [] : [...next.awaited, ...next.others];
    waiter?.('taken');
    forgetIdle(instance, place);
  }

  function wait({ instance, isAwaited, waitMs }: Entrant, place: Place): Promise<Leave | 'late'> {
    const queue = isAwaited ? place.awaited : place.others;
    return new Promise((resolve) => {
      const waiter: Waiter = (answer) => {
        clearTimeout(timer);
        queue.delete(waiter);
        waiting -= 1;
        if (answer === 'taken') return resolve(take(instance, place));
        forgetIdle(instance, place);
        resolve(answer);
      };
      const timer = setTimeout(waiter, waitMs, 'late');
      queue.add(waiter);
      waiting += 1;
    });
  }

  return {
    enter: async (run) => {
      const place = placeOf(run.instance);
      if (mayEnter(place)) return take(run.instance, place);
      const mayWait = waiting < limits.waitingInAll && waitingIn(place) < limits.waitingInInstance;
      if (mayWait) return wait(run, place);
      forgetIdle(run.instance, place);
      return 'full';
    },
  };
}

function waitingIn({ awaited, others }: Place): number {
  return awaited.size + others.size;
}
