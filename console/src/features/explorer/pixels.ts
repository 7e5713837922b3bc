/** The width of a chart on the page. */
import { useLayoutEffect, useRef, useState } from 'react';

/** Of the page's elements around the plotting area. */
const marginWidth = 90;

/** The width that an element leaves for a chart, in steps of 20 pixels: a scroll bar that comes and goes changes nothing; 0 at first. */
export function usePixels() {
  const place = useRef<HTMLDivElement>(null);
  const [pixels, setPixels] = useState(0);
  useLayoutEffect(() => {
    const element = place.current!;
    const measure = () => setPixels(Math.max(200, Math.floor((element.clientWidth - marginWidth) / 20) * 20));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return [place, pixels] as const;
}
