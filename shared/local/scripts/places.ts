/** Places for runs: so many at a time in all and in each instance, and so many that wait for one. */
export interface Places {
  /**
   * Takes a place, or waits for one: first come first served in an instance, but awaited runs before all others there;
   * instances take turns.
   *
   * @returns `late` when none came in time, `full` at once when too many wait already
   */
  enter(run: Entrant): Promise<'taken' | 'late' | 'full'>;
  /** Gives a place back that was taken. */
  leave(instance: number): void;
}

/** A run that wants a place. */
export interface Entrant {
  readonly instance: number;
  readonly isAwaited: boolean;
  readonly waitMs: number;
}

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

/** Opens places, all free. */
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

  function take(instance: number, place: Place): void {
    free -= 1;
    place.running += 1;
    places.delete(instance);
    places.set(instance, place); // to the end: the next turn is another instance's
  }

  function wait({ instance, isAwaited, waitMs }: Entrant, place: Place): Promise<'taken' | 'late'> {
    const queue = isAwaited ? place.awaited : place.others;
    return new Promise((resolve) => {
      const waiter: Waiter = (answer) => {
        clearTimeout(timer);
        queue.delete(waiter);
        waiting -= 1;
        if (answer === 'taken') take(instance, place);
        else forgetIdle(instance, place);
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
      if (mayEnter(place)) {
        take(run.instance, place);
        return 'taken';
      }
      const isFull = waiting >= limits.waitingInAll || waitingIn(place) >= limits.waitingInInstance;
      return isFull ? 'full' : wait(run, place);
    },
    leave: (instance) => {
      const place = placeOf(instance);
      place.running -= 1;
      free += 1;
      const next = [...places.values()].find((each) => mayEnter(each) && waitingIn(each) > 0);
      const [waiter] = next === undefined ? [] : [...next.awaited, ...next.others];
      waiter?.('taken');
      forgetIdle(instance, place);
    },
  };
}

function waitingIn({ awaited, others }: Place): number {
  return awaited.size + others.size;
}
