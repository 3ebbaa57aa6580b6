package harness

import "sync"

// InParallel calls work for 0 to count-1 from 16 goroutines, and returns one of the errors.
func InParallel(count int, work func(int) error) error {
	var group sync.WaitGroup
	var once sync.Once
	var first error
	next := make(chan int)
	for range min(16, count) {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range next {
				if err := work(i); err != nil {
					once.Do(func() { first = err })
				}
			}
		}()
	}
	for i := range count {
		next <- i
	}
	close(next)
	group.Wait()
	return first
}
